#include "blender_run.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

namespace skinlint::test {

std::optional<BlenderExport> export_from_blender(const std::string& script,
                                                 const std::string& expected) {
  if (std::system("blender --version >/dev/null 2>&1") != 0) {
    WARN("skipped: blender is not installed");
    return std::nullopt;
  }
  BlenderExport out;
  out.folder = std::filesystem::temp_directory_path() /
               ("skinlint_" + std::filesystem::path(script).stem().string());
  std::filesystem::remove_all(out.folder);
  std::filesystem::create_directories(out.folder);
  const std::string command =
      "blender -b --factory-startup -P '" SKINLINT_SOURCE_DIR "/testdata/tools/" + script +
      "' -- '" + out.folder.string() + "' >'" + (out.folder / "log.txt").string() + "' 2>&1";
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream in(out.folder / expected);
  REQUIRE(in);
  out.expected = nlohmann::json::parse(in);
  return out;
}

}  // namespace skinlint::test
