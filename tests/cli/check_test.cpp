#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the exit status is the verdict", "[cli]") {
  const Workplace place;
  place.write_rig("clean.glb", chain_rig(3, 6, 4));
  place.write_rig("broken.glb", broken_rig());
  place.write("text.glb", "this is no model");

  ToolRun run = run_tool(place, {"check", "clean.glb"});
  CHECK(run.status == 0);
  CHECK(holds(run.out, "clean.glb: clean"));
  CHECK(run.err.empty());

  run = run_tool(place, {"check", "clean.glb", "broken.glb"});
  CHECK(run.status == 1);
  CHECK(holds(run.out, "weights-negative"));
  CHECK(run.err.empty());

  run = run_tool(place, {"check", "text.glb", "broken.glb"});
  CHECK(run.status == 3);
  CHECK(holds(run.out, "text.glb: unreadable"));
  CHECK(holds(run.out, "weights-negative"));

  CHECK(run_tool(place, {"check", "gone.glb"}).status == 2);
}

TEST_CASE("fail-on, ignore, select and severity change the verdict", "[cli]") {
  const Workplace place;
  place.write_rig("broken.glb", broken_rig());
  const auto status = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"check", "broken.glb"});
    return run_tool(place, arguments).status;
  };
  CHECK(status({}) == 1);
  CHECK(status({"--fail-on", "never"}) == 0);
  CHECK(status({"--severity", "weights-negative=warning"}) == 0);
  CHECK(status({"--severity", "weights-negative=warning", "--fail-on", "warning"}) == 1);
  CHECK(status({"--severity", "weights-negative=note", "--fail-on=note"}) == 1);
  CHECK(status({"--select", "weights-negative"}) == 1);
  CHECK(status({"--select", "weights-zero-sum,weights-non-finite"}) == 0);
  const ToolRun ignored = run_tool(place, {"check", "--ignore", "weights-negative", "broken.glb"});
  CHECK_FALSE(holds(ignored.out, "weights-negative"));
  const ToolRun off =
      run_tool(place, {"check", "--severity", "weights-negative=off", "broken.glb"});
  CHECK_FALSE(holds(off.out, "weights-negative"));
}

TEST_CASE("the JSON report keeps to its schema and to the input order", "[cli]") {
  const Workplace place;
  place.write_rig("b.glb", broken_rig());
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  place.write("c.glb", "glTF, but no");
  const ToolRun run = run_tool(place, {"check", "--report", "json", "b.glb", "a.glb", "c.glb"});
  CHECK(run.status == 3);
  const json report = json::parse(run.out);
  const auto errors = schema_errors(published_schema("report.schema.json"), report);
  INFO(json(errors).dump(1));
  CHECK(errors.empty());
  REQUIRE(report["files"].size() == 3);
  CHECK(report["files"][0]["path"] == "b.glb");
  CHECK(report["files"][0]["findings"][0]["rule"] == "weights-negative");
  CHECK(report["files"][0]["sha256"].get<std::string>().size() == 64);
  CHECK(report["files"][1]["findings"].empty());
  CHECK(report["files"][1]["statistics"]["bindings"][0]["bind"]["state"] == "identity");
  CHECK(report["files"][2]["status"] == "unreadable");
  CHECK(report["summary"]["unreadable"] == 1);
  CHECK(run_tool(place, {"check", "--report", "json", "b.glb", "a.glb", "c.glb"}).out == run.out);
}

TEST_CASE("reports go to files, complete or not at all", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  place.write("out.json", "an older report");

  ToolRun run =
      run_tool(place, {"check", "a.glb", "--report", "json=out.json", "--report", "text"});
  CHECK(run.status == 0);
  CHECK(json::parse(place.read("out.json"))["summary"]["clean"] == 1);
  CHECK(holds(run.out, "a.glb: clean"));
  CHECK(place.names() == std::vector<std::string>{"a.glb", "out.json"});

  // Only a file: nothing on standard output.
  run = run_tool(place, {"check", "a.glb", "--report", "text=out.txt"});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(holds(place.read("out.txt"), "a.glb: clean"));

  // Wrong usage leaves the older report alone.
  CHECK(run_tool(place, {"check", "gone.glb", "--report", "json=out.json"}).status == 2);
  CHECK(json::parse(place.read("out.json"))["summary"]["clean"] == 1);

  run = run_tool(place, {"check", "a.glb", "--report", "json=no/such/folder/out.json"});
  CHECK(run.status == 2);
  CHECK(holds(run.err, "no/such/folder/out.json"));
  CHECK(holds(run.err, "No such file or directory"));
  CHECK(run_tool(place, {"check", "a.glb", "--report", "json=."}).status == 2);
}

TEST_CASE("a report gets an ordinary file's rights", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  const mode_t mask = ::umask(022);
  CHECK(run_tool(place, {"check", "a.glb", "--report", "json=out.json"}).status == 0);
  ::umask(mask);
  struct stat status {};
  REQUIRE(::stat((place.path() / "out.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777u) == 0644u);
}

TEST_CASE("a full disk is an error with the reason", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  ToolRun run = run_tool(place, {"check", "a.glb", "--report", "json=/dev/full"});
  CHECK(run.status == 2);
  CHECK(holds(run.err, "/dev/full"));
  CHECK(holds(run.err, "No space left on device"));
  ToolInput full;
  full.output_to = "/dev/full";
  run = run_tool(place, {"check", "a.glb"}, full);
  CHECK(run.status == 2);
  CHECK(holds(run.err, "standard output"));
}

TEST_CASE("a closed pipe ends the run quietly", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  ToolInput closed;
  closed.closed_pipe = true;
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"check", "a.glb"}, {"inspect", "a.glb"}, {"rules"}, {"--help"}}) {
    CAPTURE(arguments.front());
    const ToolRun run = run_tool(place, arguments, closed);
    CHECK(run.status == 2);
    CHECK(run.err.empty());
  }
  // Another report still wants to be written.
  const ToolRun run =
      run_tool(place, {"check", "a.glb", "--report", "text", "--report", "json=out.json"}, closed);
  CHECK(run.status == 2);
  CHECK(json::parse(place.read("out.json"))["summary"]["files"] == 1);
}

TEST_CASE("colour only where it is asked for", "[cli]") {
  const Workplace place;
  place.write_rig("broken.glb", broken_rig());
  CHECK_FALSE(holds(run_tool(place, {"check", "broken.glb"}).out, "\x1b"));
  CHECK(holds(run_tool(place, {"check", "broken.glb", "--color", "always"}).out, "\x1b[1;31m"));
  ToolInput no_color;
  no_color.environment = {"NO_COLOR=1"};
  CHECK_FALSE(
      holds(run_tool(place, {"check", "broken.glb", "--color=auto"}, no_color).out, "\x1b"));
  run_tool(place, {"check", "broken.glb", "--color=always", "--report", "text=out.txt"});
  CHECK_FALSE(holds(place.read("out.txt"), "\x1b"));
}

TEST_CASE("quiet says nothing about clean files", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  const ToolRun run = run_tool(place, {"check", "a.glb", "--quiet"});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
}

TEST_CASE("a vertex without weight follows the policy", "[cli]") {
  const Workplace place;
  Rig rig = chain_rig(3, 6, 4);
  rig.meshes[0].parts[0].influences[5].clear();
  place.write_rig("zero.glb", rig);
  CHECK(run_tool(place, {"check", "zero.glb"}).status == 1);
  const ToolRun run =
      run_tool(place, {"check", "zero.glb", "--zero-weight", "fallback:" + rig.nodes[0].name});
  CHECK(run.status == 0);
  CHECK(holds(run.out, "weights-zero-sum"));
}

TEST_CASE("samples are as many as asked for", "[cli]") {
  const Workplace place;
  Rig rig = chain_rig(3, 6, 4);
  for (std::size_t v = 0; v < 20; ++v) rig.meshes[0].parts[0].influences[v] = {{0, -0.5}, {1, 1.5}};
  place.write_rig("many.glb", rig);
  for (const std::size_t n : {0u, 3u, 12u}) {
    const ToolRun run =
        run_tool(place, {"check", "many.glb", "--report=json", "--max-samples", std::to_string(n)});
    const json finding = json::parse(run.out)["files"][0]["findings"][0];
    CHECK(finding["samples"].size() == n);
    CHECK(finding["count"] == 20);
  }
}
