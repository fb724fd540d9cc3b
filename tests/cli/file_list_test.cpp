#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<std::string>;

/// Paths of the report, in order; the files need not be readable.
Paths checked(const Workplace& place, std::vector<std::string> arguments,
              const std::string& standard_input = {}) {
  arguments.insert(arguments.begin(), {"check", "--report", "json"});
  ToolInput input;
  input.standard_input = standard_input;
  const ToolRun run = run_tool(place, arguments, input);
  INFO(run.err);
  REQUIRE((run.status == 0 || run.status == 3));
  Paths paths;
  const nlohmann::json report = nlohmann::json::parse(run.out);
  for (const auto& file : report["files"]) paths.push_back(file["path"]);
  return paths;
}

}  // namespace

TEST_CASE("folders are searched in order, without hidden entries", "[cli]") {
  const Workplace place;
  for (const char* name : {"d/b.glb", "d/a.vrm", "d/z/c.GLTF", "d/m/x.gltf", "d/readme.txt",
                           "d/.hidden.glb", "d/.git/y.glb", "d/noextension"}) {
    place.write(name, "?");
  }
  const Paths expected = {"d/a.vrm", "d/b.glb", "d/m/x.gltf", "d/z/c.GLTF"};
  CHECK(checked(place, {"d"}) == expected);
  CHECK(checked(place, {"d", "d/b.glb", "./d"}) == expected);        // each file once
  CHECK(checked(place, {"d/readme.txt"}) == Paths{"d/readme.txt"});  // as given
  CHECK(checked(place, {"d/.hidden.glb"}) == Paths{"d/.hidden.glb"});
}

TEST_CASE("loops of links end, and links to nothing are named", "[cli]") {
  const Workplace place;
  place.write("d/e/a.glb", "?");
  fs::create_directory_symlink("..", place.path() / "d/e/up");
  fs::create_directory_symlink(".", place.path() / "d/self");
  fs::create_symlink("ring", place.path() / "d/ring");
  fs::create_symlink("gone", place.path() / "d/lost.glb");
  CHECK(checked(place, {"d"}) == Paths{"d/e/a.glb", "d/lost.glb"});
  CHECK(checked(place, {"d/**/a.glb"}) == Paths{"d/e/a.glb"});
}

TEST_CASE("patterns", "[cli]") {
  const Workplace place;
  for (const char* name : {"hero/a.vrm", "hero/b.glb", "hero/deep/er/c.vrm", "prop/a.vrm",
                           "prop/[x].glb", "hero/a.txt", "hero/.h/d.vrm"}) {
    place.write(name, "?");
  }
  CHECK(checked(place, {"*/a.vrm"}) == Paths{"hero/a.vrm", "prop/a.vrm"});
  CHECK(checked(place, {"hero/*"}) == Paths{"hero/a.vrm", "hero/b.glb", "hero/deep/er/c.vrm"});
  CHECK(checked(place, {"**/*.vrm"}) == Paths{"hero/a.vrm", "hero/deep/er/c.vrm", "prop/a.vrm"});
  CHECK(checked(place, {"hero/**/c.*"}) == Paths{"hero/deep/er/c.vrm"});
  CHECK(checked(place, {"hero/?.[vg]*"}) == Paths{"hero/a.vrm", "hero/b.glb"});
  CHECK(checked(place, {"prop/[x].glb"}) == Paths{"prop/[x].glb"});  // a path that is there wins
  CHECK(checked(place, {(place.path() / "hero" / "b*").string()}).size() == 1);
  CHECK(run_tool(place, {"check", "nothing/*.vrm"}).status == 2);
  CHECK(run_tool(place, {"check", "hero/*.txt"}).status == 2);
  CHECK(run_tool(place, {"check", "nothing/*.vrm", "--allow-empty"}).status == 0);
}

TEST_CASE("a list of files comes from standard input", "[cli]") {
  const Workplace place;
  for (const char* name : {"a.glb", "with space.glb", "odd\nname.glb", "d/c.glb"}) {
    place.write(name, "?");
  }
  CHECK(checked(place, {"-"}, "with space.glb\r\n\na.glb\nd\n") ==
        Paths{"with space.glb", "a.glb", "d/c.glb"});
  CHECK(checked(place, {"-"}, "a.glb") == Paths{"a.glb"});
  CHECK(checked(place, {"-"}, std::string("odd\nname.glb\0a.glb\0", 19)) ==
        Paths{"odd\nname.glb", "a.glb"});

  ToolInput missing;
  missing.standard_input = "a.glb\ngone.glb\n";
  const ToolRun run = run_tool(place, {"check", "-"}, missing);
  CHECK(run.status == 2);
  CHECK(run.err.find("gone.glb") != std::string::npos);
  CHECK(run_tool(place, {"check", "-"}).status == 2);  // an empty list
  CHECK(run_tool(place, {"check", "-", "--allow-empty"}).status == 0);
}

TEST_CASE("nothing to check is never a silent success", "[cli]") {
  const Workplace place;
  place.write("d/readme.txt", "?");
  const ToolRun run = run_tool(place, {"check", "d"});
  CHECK(run.status == 2);
  CHECK(run.err.find("--allow-empty") != std::string::npos);
  CHECK(run.out.empty());
  CHECK(run_tool(place, {"check", "d", "--allow-empty"}).status == 0);
  CHECK(run_tool(place, {"check", "gone", "--allow-empty"}).status == 2);
}

TEST_CASE("a folder that cannot be read is an error", "[cli]") {
  if (::geteuid() == 0) {
    WARN("root reads every folder");
    return;
  }
  const Workplace place;
  place.write("d/locked/a.glb", "?");
  place.write("d/b.glb", "?");
  fs::permissions(place.path() / "d/locked", fs::perms::none);
  CHECK(run_tool(place, {"check", "d"}).status == 2);
  fs::permissions(place.path() / "d/locked", fs::perms::owner_all);
}
