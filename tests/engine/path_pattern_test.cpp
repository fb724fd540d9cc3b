#include "engine/path_pattern.h"

#include <catch2/catch.hpp>

using namespace skinlint;

TEST_CASE("patterns over relative paths", "[engine]") {
  struct Row {
    const char* pattern;
    const char* path;
    bool matches;
  };
  for (const Row& row : {
           Row{"*.fbx", "a.fbx", true},
           Row{"*.fbx", "deep/er/a.fbx", true},  // no slash: the name, at any depth
           Row{"*.fbx", "a.glb", false},
           Row{"hero/*.fbx", "hero/a.fbx", true},
           Row{"hero/*.fbx", "hero/x/a.fbx", false},
           Row{"hero/*.fbx", "old/hero/a.fbx", false},
           Row{"props/**", "props/a.glb", true},
           Row{"props/**", "props/x/y/a.glb", true},
           Row{"props/", "props/x/a.glb", true},
           Row{"**/wip/**", "wip/a.glb", true},
           Row{"**/wip/**", "a/b/wip/c/d.glb", true},
           Row{"**/wip/**", "a/wipe/d.glb", false},
           Row{"a/**/b/*.glb", "a/b/x.glb", true},
           Row{"a/**/b/*.glb", "a/1/2/b/x.glb", true},
           Row{"./hero/a.fbx", "hero/a.fbx", true},
           Row{"[ab]?.glb", "a1.glb", true},
           Row{"[ab]?.glb", "c1.glb", false},
           Row{"A.fbx", "a.fbx", false},
           Row{"", "a", false},
           Row{"**", "a/b", true},
       }) {
    INFO(row.pattern << " : " << row.path);
    CHECK(path_matches(row.pattern, row.path) == row.matches);
  }
}

TEST_CASE("patterns of many stars end quickly", "[engine]") {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) {
    pattern += "**/a/";
    path += "a/";
  }
  CHECK_FALSE(path_matches(pattern + "b", path + "c"));
}

TEST_CASE("paths relative to a folder", "[engine]") {
  CHECK(relative_path("x/a/b.fbx", "x") == "a/b.fbx");
  CHECK(relative_path("x/./a/../b.fbx", "x/") == "b.fbx");
  CHECK(relative_path("/x/a/b.fbx", "/x") == "a/b.fbx");
  CHECK(relative_path("b.fbx", ".") == "b.fbx");
  CHECK(relative_path("y/b.fbx", "x") == "../y/b.fbx");
}
