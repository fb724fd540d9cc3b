// What the tool makes of the isolated importer's end, whatever it is: answers, lies, crashes,
// loops.

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "readers/assimp_process.h"
#include "readers/assimp_reader.h"
#include "support/collada_writer.h"
#include "support/faults.h"
#include "support/gltf_writer.h"

using namespace skinlint;
using namespace skinlint::assimp;
namespace fs = std::filesystem;
using Kind = Outcome::Kind;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("skinlint_assimp_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  /// A worker that does what the shell says; descriptor 3 is the answer.
  std::string worker(const std::string& script) const {
    const std::string path = write("worker.sh", "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0700);
    return path;
  }

 private:
  fs::path path_;
};

Request request_for(std::string worker, std::string path, std::string extension) {
  Request request;
  request.worker = std::move(worker);
  request.path = std::move(path);
  request.extension = std::move(extension);
  return request;
}

Outcome run_script(const Folder& folder, const std::string& script, ImportLimits limits = {}) {
  Request request = request_for(folder.worker(script), "file.dae", "dae");
  request.limits = limits;
  return run_import(request);
}

Answer sample_answer() {
  Answer a;
  a.version = "5.2.4";
  a.outcome = Answer::Outcome::imported;
  a.generator = "tests";
  a.companions = {"a.bin"};
  const Matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  a.nodes = {{"root", -1, identity, {}}, {"tip", 0, identity, {0}}};
  SceneMesh mesh;
  mesh.name = "m";
  mesh.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  mesh.face_sizes = {3};
  mesh.face_corners = {0, 1, 2};
  mesh.bones = {{"root", identity, {{0, 1.0F}, {1, 0.5F}}},
                {"tip", identity, {{1, 0.5F}, {2, 1.0F}}}};
  mesh.shapes = {{"smile", 0.25F, {0, 0, 1, 1, 0, 1, 0, 1, 1}}};
  a.meshes = {mesh};
  SceneClip clip;
  clip.name = "walk";
  clip.duration = 10;
  clip.ticks_per_second = 5;
  clip.channels = {{"tip", {0, 10}, {0}, {}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 1}, {}}};
  a.clips = {clip};
  return a;
}

}  // namespace

TEST_CASE("an answer comes back as it was sent", "[readers][assimp]") {
  const Answer sent = sample_answer();
  const std::string bytes = encode_answer(sent);
  const auto got = decode_answer(bytes);
  REQUIRE(got.has_value());
  CHECK(encode_answer(*got) == bytes);
  CHECK(got->nodes[1].parent == 0);
  CHECK(got->meshes[0].bones[1].weights[1].vertex == 2);
  CHECK(got->meshes[0].shapes[0].default_weight == 0.25F);
  CHECK(got->clips[0].channels[0].position_times == std::vector<double>{0, 10});
}

TEST_CASE("a damaged answer is refused or harmless", "[readers][assimp]") {
  const std::string bytes = encode_answer(sample_answer());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_FALSE(decode_answer(std::string_view(bytes).substr(0, n)).has_value());
  CHECK_FALSE(decode_answer(bytes + "x").has_value());

  const ImportedFormat& format = imported_formats().front();
  test::Random random(7);
  std::size_t decoded = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (std::size_t k = 1 + random.below(4); k-- > 0;) {
      const std::size_t at = random.below(damaged.size());
      static constexpr unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
      damaged[at] =
          static_cast<char>(random.below(2) == 0 ? odd[random.below(5)] : random.below(256));
    }
    const auto answer = decode_answer(damaged);
    if (!answer) continue;
    ++decoded;
    const Result<Asset> asset = asset_from_answer(format, *answer, ReadOptions{});
    if (asset) CHECK(check_invariants(*asset).empty());
  }
  CHECK(decoded > 1000);
}

TEST_CASE("an answer whose parts do not belong together is refused", "[readers][assimp]") {
  const auto refused = [](const std::function<void(Answer&)>& edit) {
    Answer answer = sample_answer();
    edit(answer);
    return !decode_answer(encode_answer(answer)).has_value();
  };
  CHECK_FALSE(refused([](Answer&) {}));
  CHECK(refused([](Answer& a) { a.nodes[1].parent = 1; }));
  CHECK(refused([](Answer& a) { a.nodes[0].parent = 0; }));
  CHECK(refused([](Answer& a) { a.nodes[1].meshes = {1}; }));
  CHECK(refused([](Answer& a) { a.meshes[0].positions.pop_back(); }));
  CHECK(refused([](Answer& a) { a.meshes[0].face_sizes = {4}; }));
  CHECK(refused([](Answer& a) { a.meshes[0].shapes[0].positions.pop_back(); }));
  CHECK(refused([](Answer& a) { a.clips[0].channels[0].rotations.pop_back(); }));
}

TEST_CASE("every end of the importer's process is an outcome", "[readers][assimp]") {
  const Folder folder;
  const Outcome crash = run_script(folder, "kill -SEGV $$");
  CHECK(crash.kind == Kind::crashed);
  CHECK(crash.detail == "SIGSEGV (Segmentation fault)");
  CHECK(run_script(folder, "kill -ABRT $$").detail == "SIGABRT (Aborted)");
  CHECK(run_script(folder, "exit 0").kind == Kind::crashed);
  CHECK(run_script(folder, "exit 7").detail == "it ended without an answer");

  const Outcome rubbish = run_script(folder, "echo rubbish >&3");
  CHECK(rubbish.kind == Kind::crashed);
  CHECK(rubbish.detail == "the answer does not begin as one");
  CHECK(run_script(folder, "printf 'skinlint-assimp 1\\n' >&3").kind == Kind::crashed);

  Request missing = request_for("/nonexistent/skinlint-assimp", "file.dae", "dae");
  CHECK(run_import(missing).kind == Kind::not_started);

  // Said everything, then died: the answer stands.
  const std::string answer = folder.write("answer", encode_answer(sample_answer()));
  const Outcome late = run_script(folder, "cat " + answer + " >&3; exec 3>&-; kill -ABRT $$");
  CHECK(late.kind == Kind::imported);
  CHECK(late.answer.nodes.size() == 2);
  CHECK(late.crash_on_release == "SIGABRT (Aborted)");
  CHECK(run_script(folder, "cat " + answer + " >&3").crash_on_release.empty());
}

TEST_CASE("an importer that does not end is ended", "[readers][assimp]") {
  const Folder folder;
  ImportLimits limits;
  limits.seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  CHECK(run_script(folder, "sleep 100", limits).kind == Kind::timed_out);
  // The pipe closed, the process alive; and what it started.
  CHECK(run_script(folder, "exec 3>&-; sleep 100", limits).kind == Kind::timed_out);
  CHECK(run_script(folder, "sleep 100 & wait", limits).kind == Kind::timed_out);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));

  limits.seconds = 20;
  limits.answer_bytes = 1 << 20;
  const Outcome flood = run_script(folder, "yes >&3", limits);
  CHECK(flood.kind == Kind::over_memory);
  CHECK(flood.detail == "1 MiB of answer");
}

TEST_CASE("the real importer answers, refuses, and keeps to its memory", "[readers][assimp]") {
  if (worker_path().empty()) {
    WARN("skipped: built without Assimp");
    return;
  }
  const Folder folder;
  Request request = request_for(
      worker_path(), folder.write("tube.dae", test::write_collada(test::chain_rig())), "dae");
  const Outcome read = run_import(request);
  REQUIRE(read.kind == Kind::imported);
  CHECK(read.answer.version == library_version());
  CHECK(read.answer.meshes.at(0).bones.size() == 6);
  CHECK(read.crash_on_release.empty());

  request.path = folder.write("large.dae", test::write_collada(test::chain_rig(6, 600, 60)));
  request.limits.memory_mib = 32;
  const Outcome tight = run_import(request);
  CHECK(tight.kind == Kind::over_memory);
  CHECK(tight.detail == "32 MiB");

  Request broken = request_for(worker_path(), folder.write("broken.dae", "<COLLADA >"), "dae");
  const Outcome refused = run_import(broken);
  CHECK(refused.kind == Kind::refused);
  CHECK_FALSE(refused.detail.empty());
  CHECK(refused.detail.find(fs::temp_directory_path().string()) == std::string::npos);
}

TEST_CASE("the real importer opens nothing outside the file's folder", "[readers][assimp]") {
  if (worker_path().empty()) return;
  const Folder folder;
  fs::create_directories(fs::path(folder.write("x", "")).parent_path() / "inner");
  const test::GltfFiles files =
      test::write_gltf(test::chain_rig(), {}, test::BufferPlace::file, "../model.bin");
  folder.write("model.bin",
               std::string(reinterpret_cast<const char*>(files.bin.data()), files.bin.size()));
  const std::string path = folder.write(
      "inner/model.gltf",
      std::string(reinterpret_cast<const char*>(files.gltf.data()), files.gltf.size()));
  Request request = request_for(worker_path(), path, "gltf");
  CHECK(run_import(request).kind != Kind::imported);
  request.allow_outside = true;
  const Outcome allowed = run_import(request);
  CHECK(allowed.kind == Kind::imported);
  CHECK(std::count(allowed.answer.companions.begin(), allowed.answer.companions.end(),
                   "../model.bin") == 1);
}
