// What docs/ shows for hooks, CI and many machines, run as it stands there.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/run_tool.h"
#include "support/gltf_writer.h"

using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

const fs::path& docs() {
  static const fs::path path = fs::path(SKINLINT_SOURCE_DIR) / "docs";
  return path;
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Programs that come before all others on PATH: skinlint, and what a test puts there.
class Programs {
 public:
  Programs() { fs::create_symlink(SKINLINT_BINARY, place_.path() / "skinlint"); }
  void add(const std::string& name, const std::string& script) const {
    place_.write(name, script);
    fs::permissions(place_.path() / name, fs::perms::owner_all);
  }
  ToolInput input() const {
    const char* path = std::getenv("PATH");
    ToolInput input;
    input.seconds = 120;
    input.environment = {"PATH=" + place_.path().string() + ":" + (path == nullptr ? "" : path)};
    return input;
  }

 private:
  Workplace place_;
};

bool installed(const std::string& program) {
  const Workplace place;
  const bool found = run_program(place, {"sh", "-c", "command -v " + program}).status == 0;
  if (!found) WARN("skipped in part: " << program << " is not installed");
  return found;
}

/// Git as it is with no settings of the person who runs the tests.
class Repository {
 public:
  Repository() {
    for (const char* setting : {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
                                "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
                                "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}) {
      input_.environment.emplace_back(setting);
    }
    REQUIRE(sh("git init --quiet .").status == 0);
    fs::create_directories(place.path() / ".git/hooks");
    fs::copy_file(docs() / "ci/pre-commit", place.path() / ".git/hooks/pre-commit");
  }
  ToolRun sh(const std::string& script) const {
    return run_program(
        place, {"sh", "-c", "unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX\n" + script},
        input_);
  }
  ToolRun commit() const { return sh("git commit --quiet --message x"); }
  ToolRun commit_all() const { return sh("git add --all && git commit --quiet --message x"); }
  void set(const std::string& variable) { input_.environment.push_back(variable); }

  Workplace place;

 private:
  Programs programs_;
  ToolInput input_ = programs_.input();
};

std::string as_text(const std::vector<std::byte>& bytes) {
  std::string text(bytes.size(), '\0');
  std::transform(bytes.begin(), bytes.end(), text.begin(),
                 [](std::byte b) { return static_cast<char>(b); });
  return text;
}

/// Some files below assets/, one of them with errors, in two configurations.
void fill_assets(const Workplace& place) {
  for (int i = 0; i < 4; ++i) {
    place.write_rig("assets/a" + std::to_string(i) + ".glb", chain_rig());
    place.write_rig("assets/props/b c" + std::to_string(i) + ".glb",
                    i == 2 ? broken_rig() : chain_rig());
  }
  place.write("assets/props/.skinlint.json", R"({ "rules": { "weights-sum": "note" } })");
}

/// The whole run that parts have to amount to.
struct Whole {
  int status = 0;
  std::string report;
};
Whole whole_run(const Workplace& place) {
  const ToolRun run =
      run_tool(place, {"check", "assets", "--profile", "unity", "--report", "json=whole.json"});
  return {run.status, place.read("whole.json")};
}

/// Lines that run the tool, without what YAML puts before a command.
std::vector<std::string> commands_of(const std::string& text) {
  static const std::regex command(R"(^\s*(?:-\s+)?(?:run:\s+)?(skinlint (?:check|merge) .*)$)");
  std::vector<std::string> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, command)) commands.push_back(match[1].str());
  }
  return commands;
}

}  // namespace

TEST_CASE("the pre-commit hook judges what is staged", "[cli]") {
  if (!installed("git") || !installed("bash")) return;
  Repository git;
  const Workplace& place = git.place;

  place.write("notes.txt", "nothing to check");
  CHECK(git.commit_all().status == 0);
  place.write_rig("hero one/good.glb", chain_rig());
  ToolRun run = git.commit_all();
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.err.empty());

  place.write_rig("hero one/bad.glb", broken_rig());
  run = git.commit_all();
  CHECK(run.status == 1);
  CHECK(has(run.err, "hero one/bad.glb: "));  // Git sends what hooks print there
  CHECK_FALSE(has(run.err, "good.glb"));
  CHECK(has(run.err, "the commit was refused"));

  // Staged it is bad still.
  place.write_rig("hero one/bad.glb", chain_rig());
  CHECK(git.commit().status == 1);
  CHECK(git.commit_all().status == 0);

  // The other way round: staged it is good.
  place.write_rig("hero one/next.glb", chain_rig());
  git.sh("git add --all");
  place.write_rig("hero one/next.glb", broken_rig());
  CHECK(git.commit().status == 0);
  git.sh("git checkout --quiet .");

  // A configuration that is committed with it holds.
  place.write_rig("wip/bad.glb", broken_rig());
  CHECK(git.commit_all().status == 1);
  place.write(".skinlint.json", R"({ "exclude": ["wip"] })");
  CHECK(git.commit_all().status == 0);

  // Deleting is always allowed.
  git.sh("git rm --quiet wip/bad.glb");
  CHECK(git.commit().status == 0);
}

TEST_CASE("the pre-commit hook sees buffers beside a glTF file, and its options", "[cli]") {
  if (!installed("git") || !installed("bash")) return;
  Repository git;
  const Workplace& place = git.place;
  const GltfFiles good = write_gltf(chain_rig(3, 6, 4), {}, BufferPlace::file, "data/b.bin");
  const GltfFiles bad = write_gltf(broken_rig(), {}, BufferPlace::file, "data/b.bin");
  place.write("a/rig.gltf", as_text(good.gltf));
  place.write("a/" + good.bin_uri, as_text(good.bin));
  ToolRun run = git.commit_all();
  INFO(run.out << run.err);
  CHECK(run.status == 0);

  // Only the buffer changes.
  REQUIRE(good.bin.size() == bad.bin.size());
  place.write("a/" + bad.bin_uri, as_text(bad.bin));
  CHECK(git.commit_all().status == 1);
  git.set("SKINLINT_FLAGS=--fail-on never --ignore weights-negative");
  CHECK(git.commit_all().status == 0);

  git.set("SKINLINT=no-such-tool");
  place.write("a/rig.gltf", as_text(good.gltf) + "\n");
  run = git.commit_all();
  CHECK(run.status == 1);
  CHECK(has(run.err, "there is no no-such-tool"));
}

TEST_CASE("shards.sh gives the bytes of the whole run", "[cli]") {
  if (!installed("bash")) return;
  const Workplace place;
  fill_assets(place);
  const Whole whole = whole_run(place);
  CHECK(whole.status == 1);
  const std::string script = (docs() / "ci/shards.sh").string();
  const auto check = [&](const Programs& programs, const std::string& parts) {
    const ToolRun run =
        run_program(place, {"bash", script, parts, "joined.json", "assets", "--profile", "unity"},
                    programs.input());
    INFO(run.err);
    CHECK(run.status == whole.status);
    CHECK((place.read("joined.json") == whole.report));
    fs::remove(place.path() / "joined.json");
  };
  const Programs plain;
  plain.add("parallel", "#!/bin/sh\necho another parallel\n");
  check(plain, "3");
  check(plain, "23");  // some have no file, some only files of the second configuration
  if (installed("parallel")) check(Programs(), "3");
  // Nothing is left behind.
  CHECK(place.names() == std::vector<std::string>{"assets", "whole.json"});

  const ToolRun wrong = run_program(
      place, {"bash", script, "2", "joined.json", "assets", "--profile", "untiy"}, plain.input());
  CHECK(wrong.status == 4);
  CHECK(has(wrong.err, "did you mean"));
  CHECK_FALSE(place.exists("joined.json"));
  CHECK(run_program(place, {"bash", script, "0", "joined.json", "assets"}, plain.input()).status ==
        2);
}

TEST_CASE("the Slurm script's parts merge to the whole run", "[cli]") {
  if (!installed("bash")) return;
  const Workplace place;
  fill_assets(place);
  const Whole whole = whole_run(place);
  const Programs programs;
  const std::string script = (docs() / "ci/shards.sbatch").string();
  const auto task = [&](const std::string& index, const std::string& profile) {
    ToolInput input = programs.input();
    for (const std::string& variable :
         {std::string("SLURM_ARRAY_JOB_ID=77"), std::string("SLURM_ARRAY_TASK_COUNT=3"),
          std::string("SLURM_CPUS_PER_TASK=2"), "SLURM_ARRAY_TASK_ID=" + index}) {
      input.environment.push_back(variable);
    }
    return run_program(place, {"bash", script, "assets", "--profile", profile}, input).status;
  };
  CHECK(task("1", "untiy") == 2);
  std::vector<std::string> merge = {"merge", "-o", "joined.json"};
  for (const char* index : {"1", "2", "3"}) {
    CHECK(task(index, "unity") == 0);  // findings are the joined report's to tell
    merge.push_back(std::string("skinlint-parts-77/") + index + ".json");
  }
  CHECK(run_tool(place, merge).status == whole.status);
  CHECK((place.read("joined.json") == whole.report));
}

TEST_CASE("the commands of the CI pieces run, fail on findings, and write what is uploaded",
          "[cli]") {
  struct Piece {
    const char* file;
    std::vector<std::string> written;
  };
  const Piece pieces[] = {
      {"github-actions.yml", {"skinlint.sarif", "skinlint.txt"}},
      {"gitlab-ci.yml", {"gl-code-quality-report.json", "skinlint.xml"}},
      {"Jenkinsfile", {"skinlint.xml"}},
  };
  const Programs programs;
  for (const Piece& piece : pieces) {
    INFO(piece.file);
    const std::string text = content(docs() / "ci" / piece.file);
    const std::vector<std::string> commands = commands_of(text);
    REQUIRE(commands.size() == 1);
    INFO(commands[0]);
    for (const bool broken : {false, true}) {
      const Workplace place;
      place.write_rig("assets/hero.glb", broken ? broken_rig() : chain_rig());
      const ToolRun run = run_program(place, {"sh", "-c", commands[0]}, programs.input());
      INFO(run.err);
      CHECK(run.status == (broken ? 1 : 0));
      for (const std::string& name : piece.written) {
        INFO(name);
        CHECK(place.exists(name));
        // Written, and taken up by a later step.
        CHECK(has(text.substr(text.find(commands[0]) + commands[0].size()), name));
        const std::string written = place.read(name);
        if (broken) CHECK(has(written, "hero.glb"));
        if (fs::path(name).extension() == ".json" || fs::path(name).extension() == ".sarif") {
          CHECK(nlohmann::json::accept(written));
        }
      }
    }
  }
}

TEST_CASE("the CI pieces have the form that their servers read", "[cli]") {
  for (const char* name : {"github-actions.yml", "gitlab-ci.yml"}) {
    INFO(name);
    std::istringstream lines(content(docs() / "ci" / name));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK_FALSE(has(line, "\t"));
      CHECK(line.find_first_not_of(' ') % 2 == 0);
    }
  }
  const Workplace place;
  if (run_program(place, {"python3", "-c", "import yaml"}).status != 0) {
    WARN("skipped in part: python3 with yaml is not installed");
    return;
  }
  const auto load = [&](const std::string& name) {
    const ToolRun run = run_program(
        place, {"python3", "-c",
                "import json, sys, yaml\n"
                "print(json.dumps(yaml.load(open(sys.argv[1]), Loader=yaml.BaseLoader)))",
                (docs() / "ci" / name).string()});
    INFO(run.err);
    REQUIRE(run.status == 0);
    return nlohmann::json::parse(run.out);
  };

  const nlohmann::json github = load("github-actions.yml");
  for (const auto& [key, value] : github.items()) {
    INFO(key);
    CHECK((key == "name" || key == "on" || key == "permissions" || key == "jobs"));
  }
  // Code scanning takes results from jobs with this permission alone.
  CHECK(github.at("permissions").at("security-events") == "write");
  CHECK(github.at("on").contains("pull_request"));
  const nlohmann::json& job = github.at("jobs").at("skinlint");
  CHECK(job.at("runs-on").is_string());
  std::vector<std::string> uses;
  for (const nlohmann::json& step : job.at("steps")) {
    INFO(step.dump());
    CHECK(step.contains("uses") != step.contains("run"));  // one of them, not both
    for (const auto& [key, value] : step.items()) {
      INFO(key);
      CHECK((key == "name" || key == "id" || key == "if" || key == "uses" || key == "with" ||
             key == "env" || key == "run"));
    }
    if (!step.contains("uses")) continue;
    const std::string action = step.at("uses");
    CHECK(std::regex_match(action, std::regex("[a-z-]+(/[a-z-]+){1,2}@v[0-9]+")));
    uses.push_back(action.substr(0, action.find('@')));
    if (uses.back() == "actions/checkout") CHECK(step.at("with").at("lfs") == "true");
    if (uses.back() == "github/codeql-action/upload-sarif") {
      CHECK(step.at("with").at("sarif_file") == "skinlint.sarif");
      CHECK(has(step.at("if"), "!cancelled()"));  // after findings as well
    }
  }
  CHECK(std::count(uses.begin(), uses.end(), "actions/checkout") == 1);
  CHECK(std::count(uses.begin(), uses.end(), "github/codeql-action/upload-sarif") == 1);

  const nlohmann::json gitlab = load("gitlab-ci.yml").at("skinlint");
  for (const char* key : {"before_script", "script"}) {
    for (const nlohmann::json& line : gitlab.at(key)) CHECK(line.is_string());
  }
  const nlohmann::json& artifacts = gitlab.at("artifacts");
  CHECK(artifacts.at("when") == "always");
  CHECK(artifacts.at("reports").at("codequality") == "gl-code-quality-report.json");
  CHECK(artifacts.at("reports").at("junit") == "skinlint.xml");
  CHECK(gitlab.at("cache").size() <= 4);  // as many as GitLab takes
}

TEST_CASE("the scripts that CI pieces name are there and can be run", "[cli]") {
  for (const char* name :
       {"docs/ci/pre-commit", "docs/ci/shards.sh", "docs/ci/shards.sbatch", ".ci/package"}) {
    const fs::path path = fs::path(SKINLINT_SOURCE_DIR) / name;
    INFO(name);
    CHECK((fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none);
    CHECK(run_program(Workplace(), {"bash", "-n", path.string()}).status == 0);
  }
  for (const char* name : {"github-actions.yml", "gitlab-ci.yml", "Jenkinsfile"}) {
    CHECK(has(content(docs() / "ci" / name), ".skinlint-source/.ci/package "));
  }
}

TEST_CASE("docs/config.md shows a configuration that is taken and commands that run", "[cli]") {
  const std::string page = content(docs() / "config.md");
  const std::size_t begin = page.find("```json\n");
  REQUIRE(begin != std::string::npos);
  const std::size_t start = begin + 8;
  const Workplace place;
  place.write_rig("assets/hero.glb", broken_rig());
  place.write(".skinlint.json", page.substr(start, page.find("```", start) - start));
  const ToolRun config = run_tool(place, {"config", "props/"});
  CHECK(config.status == 2);  // no such folder
  const ToolRun shown = run_tool(place, {"config", "assets"});
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "overrides: 1, waivers: 1"));

  const Programs programs;
  const std::vector<std::string> commands = commands_of(page);
  REQUIRE(commands.size() == 2);
  CHECK(run_tool(place, {"check", "assets"}).status == 1);
  for (const std::string& command : commands) {
    INFO(command);
    CHECK(run_program(place, {"sh", "-c", command}, programs.input()).status == 0);
  }
}
