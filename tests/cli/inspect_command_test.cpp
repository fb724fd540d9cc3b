#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

TEST_CASE("inspect --json keeps to its schema, in both spaces", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", humanoid_rig());
  for (const char* space : {"canonical", "file"}) {
    for (const bool vertices : {false, true}) {
      std::vector<std::string> arguments = {"inspect", "rig.glb", "--json", "--space", space};
      if (vertices) arguments.push_back("--vertices");
      const ToolRun run = run_tool(place, arguments);
      REQUIRE(run.status == 0);
      const json shown = json::parse(run.out);
      const auto errors = schema_errors(published_schema("inspect.schema.json"), shown);
      INFO(json(errors).dump(1));
      CHECK(errors.empty());
      CHECK(shown["space"] == space);
      CHECK(shown["bindings"].at(0)["joints"].size() == humanoid_rig().skins[0].joints.size());
      CHECK(shown["bindings"].at(0).contains("vertex_data") == vertices);
    }
  }
}

TEST_CASE("inspect tells wrong usage from an unreadable file", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", humanoid_rig());
  place.write("text.glb", "no model");
  CHECK(run_tool(place, {"inspect", "rig.glb"}).status == 0);
  const ToolRun unreadable = run_tool(place, {"inspect", "text.glb"});
  CHECK(unreadable.status == 3);
  CHECK(unreadable.err.find("not_recognised") != std::string::npos);
  CHECK(unreadable.out.empty());
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"inspect"},
           {"inspect", "gone.glb"},
           {"inspect", "."},
           {"inspect", "rig.glb", "--space", "world"},
           {"inspect", "rig.glb", "--convention", "maya"},
           {"inspect", "rig.glb", "--convention", "unity", "--space", "file"},
           {"inspect", "rig.glb", "rig.glb"}}) {
    CAPTURE(arguments.back());
    CHECK(run_tool(place, arguments).status == 2);
  }
  const ToolRun joint = run_tool(place, {"inspect", "rig.glb", "--joint", "spien"});
  CHECK(joint.status == 2);
  CHECK(joint.err.find("\"spine\"") != std::string::npos);
  const ToolRun spine = run_tool(place, {"inspect", "rig.glb", "--joint", "spine", "--json"});
  CHECK(json::parse(spine.out)["bindings"].at(0)["joints"].size() == 1);
}
