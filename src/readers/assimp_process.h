#pragma once
// Starts the isolated Assimp program on one file, and makes a result of whatever comes of it:
// answers, refusals, crashes, endless loops, floods of memory.

#include <cstdint>
#include <string>

#include "readers/assimp_answer.h"
#include "readers/reader.h"

namespace skinlint::assimp {

struct Request {
  std::string worker;     // the program
  std::string path;       // the file
  std::string extension;  // of its format, without dot, whatever the file is called
  bool whole = true;      // clips and shapes too
  bool allow_outside = false;
  ImportLimits limits;
};

struct Outcome {
  enum class Kind : std::uint8_t {
    imported,
    refused,      // `detail`: Assimp's message
    crashed,      // `detail`: the signal, "SIGSEGV (Segmentation fault)", or what the end was
    timed_out,    // `detail`: which time, "60 s of processor time"
    over_memory,  // `detail`: how much it was allowed, "2048 MiB"
    not_started,  // `detail`: why there is no process
  };
  Kind kind = Kind::not_started;
  std::string detail;
  Answer answer;                 // imported, refused: whole; else only the version, where known
  std::string crash_on_release;  // imported, then this signal when the scene was released
};

/// Waits for the program's end, at most the wall limit and a moment. Safe from any thread. An
/// answer that does not decode counts as a crash: the process had lost control of its memory.
Outcome run_import(const Request& request);

/// The program beside the running executable, or in ../libexec/skinlint of it; empty: there is
/// none. Looked up once.
const std::string& worker_path();
/// Version of the library that this build was made with; empty when there is no worker.
std::string library_version();

}  // namespace skinlint::assimp
