#pragma once
// Rigs that Blender makes, for tests that compare with it.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace skinlint::test {

struct BlenderExport {
  std::filesystem::path folder;  // what the script wrote
  nlohmann::json expected;       // what it says of it
};

/// Runs testdata/tools/SCRIPT in Blender with a folder of its own and reads EXPECTED from there.
/// Empty, with a warning, where Blender is not installed; a script that fails fails the test.
std::optional<BlenderExport> export_from_blender(const std::string& script,
                                                 const std::string& expected);

}  // namespace skinlint::test
