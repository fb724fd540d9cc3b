#pragma once
// The real binary, run in a folder of its own.

#include <filesystem>
#include <string>
#include <vector>

#include "support/rig.h"

namespace skinlint::test {

/// A folder that goes away with its owner.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder, with its parents.
  void write(const std::string& name, const std::string& content) const;
  void write_rig(const std::string& name, const Rig& rig) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  /// Names of everything directly in the folder, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

struct ToolRun {
  int status = -1;  // 128 + signal when killed
  std::string out, err;
};

struct ToolInput {
  std::string standard_input;
  std::vector<std::string> environment;  // "NAME=value", added
  std::string output_to;                 // standard output goes to this path instead of `out`
  bool closed_pipe = false;              // standard output is a pipe that nobody reads
  unsigned seconds = 20;                 // then SIGALRM ends it
};

/// Runs skinlint with these arguments in the workplace.
ToolRun run_tool(const Workplace& place, const std::vector<std::string>& arguments,
                 const ToolInput& input = {});
/// Any program, found on PATH; status 123 when there is none.
ToolRun run_program(const Workplace& place, std::vector<std::string> command,
                    const ToolInput& input = {});

/// A rig with one joint whose weights are negative: errors.
Rig broken_rig();

}  // namespace skinlint::test
