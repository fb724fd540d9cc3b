#pragma once
// The files of testdata/ and what is expected of each, made from rigs. `skinlint_make_testdata`
// writes them; a test checks that the committed bytes are these.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skinlint::test {

struct ExpectedFinding {
  std::string rule;
  std::string severity;                // "error", "warning" or "note"
  std::optional<std::uint64_t> count;  // Finding::count where it matters
};

struct TestdataFile {
  std::string path;  // below testdata/
  std::vector<std::byte> bytes;
  bool companion = false;  // of another file: nothing to check by itself
  /// Every error and warning, one entry to a finding; notes only where they are the point.
  std::vector<ExpectedFinding> expected;
  /// Kind of ReadError for a file that cannot be read at all.
  std::string read_error;
  /// Rules to enable beyond the defaults (those that are off by default).
  std::vector<std::string> select;
  /// Checked with --second-opinion; nothing is expected of a build without Assimp.
  bool second_opinion = false;
  /// Path below testdata/ of the file whose skeleton it must share.
  std::string reference;
};

std::vector<TestdataFile> valid_testdata();
std::vector<TestdataFile> broken_testdata();
std::vector<TestdataFile> broken_fbx_testdata();
/// Broken normals, tangents, shapes, clips and deformations.
std::vector<TestdataFile> broken_shape_testdata();
/// Files that Assimp fails on, legal or not.
std::vector<TestdataFile> broken_importer_testdata();
std::vector<TestdataFile> corrupt_testdata();
/// pairs/NAME/...: one asset in several encodings; all of a folder must give the same findings.
std::vector<TestdataFile> pair_testdata();

/// All of them by path, and manifest.json.
std::vector<TestdataFile> all_testdata();

}  // namespace skinlint::test
