// What a killed or interrupted run leaves behind: the old file or the whole new one, never half.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "run_tool.h"

using namespace skinlint::test;
using nlohmann::json;

namespace {

/// Starts the tool and gives it `signal` after `delay`; its wait status.
int run_and_signal(const Workplace& place, const std::vector<std::string>& arguments, int signal,
                   std::chrono::microseconds delay) {
  std::fflush(nullptr);  // else the child writes what is buffered a second time
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::chdir(place.path().c_str()) != 0) ::_exit(99);
    std::vector<std::string> all = {SKINLINT_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& text : all) argv.push_back(text.data());
    argv.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(99);
    if (std::freopen("stderr.txt", "w", stderr) == nullptr) ::_exit(99);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  std::this_thread::sleep_for(delay);
  ::kill(pid, signal);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

bool is_whole(const std::string& text) {
  const json report = json::parse(text, nullptr, false);
  return report.is_object() && report.contains("summary");
}

}  // namespace

TEST_CASE("a run killed at any time tears no report, baseline or cache", "[cli]") {
  const Workplace place;
  for (int i = 0; i < 30; ++i)
    place.write_rig("art/f" + std::to_string(i) + ".glb", i % 2 == 0 ? broken_rig() : chain_rig());
  const std::vector<std::string> plain = {"check", "art", "--report", "json=report.json"};
  run_tool(place, plain);
  const std::string expected = place.read("report.json");
  REQUIRE(is_whole(expected));
  run_tool(place, {"check", "art", "--write-baseline", "known.json"});
  const std::string baseline = place.read("known.json");
  place.write("report.json", "old");
  place.write("known.json", "old");
  const std::vector<std::string> all = {"check",   "art",   "--report",         "json=report.json",
                                        "--cache", "cache", "--write-baseline", "known.json"};
  int replaced = 0;
  for (int i = 0; i < 40; ++i) {
    run_and_signal(place, all, SIGKILL, std::chrono::microseconds(500 * i));
    const std::string report = place.read("report.json"), known = place.read("known.json");
    const bool old_or_whole = report == "old" || is_whole(report);
    CHECK(old_or_whole);
    const bool known_old_or_whole = known == "old" || known == baseline;
    CHECK(known_old_or_whole);
    replaced += report == "old" ? 0 : 1;
  }
  INFO(replaced << " of 40 runs finished their report");
  // The next run is right whatever the killed ones left.
  CHECK(run_tool(place, all).status == 0);
  CHECK((place.read("known.json") == baseline));
  run_tool(place, {"check", "art", "--report", "json=report.json", "--cache", "cache"});
  CHECK((place.read("report.json") == expected));
}

TEST_CASE("Ctrl-C ends a batch at once, says how far it was, and keeps the old report", "[cli]") {
  const Workplace place;
  place.write("art/a.fbx", "skinlint test hook: hang");
  place.write("art/b.fbx", "skinlint test hook: hang");
  place.write("report.json", "old");
  for (const char* isolate : {"never", "always"}) {
    const auto start = std::chrono::steady_clock::now();
    const int status = run_and_signal(
        place, {"check", "art", "--isolate", isolate, "--report", "json=report.json"}, SIGINT,
        std::chrono::milliseconds(300));
    INFO(isolate);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(place.read("report.json") == "old");
    CHECK(place.read("stderr.txt").find("0 of 2") != std::string::npos);
    CHECK(place.names() == std::vector<std::string>{"art", "report.json", "stderr.txt"});
  }
}
