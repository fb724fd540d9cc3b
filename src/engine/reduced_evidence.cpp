#include "engine/reduced_evidence.h"

#include <array>

namespace skinlint {
namespace {

struct Row {
  std::string_view rule;
  bool only_without_unit = false;  // a format that declares its unit and axes is judged
  std::string_view because;
};

constexpr std::string_view dropped =
    "the importer drops weights that are zero, negative or not a number";
constexpr std::string_view no_leftover = "the importer leaves out joints that move no vertex";
constexpr std::string_view no_unit = "the format declares no unit";

constexpr std::array<Row, 11> rows = {{
    {"weights-negative", false, dropped},
    {"weights-non-finite", false, dropped},
    {"weights-zero-with-joint", false, dropped},
    {"weights-unused-joint", false, no_leftover},
    {"bind-matrix-not-affine", false, "the importer drops the bottom row of bind matrices"},
    // A joint without weight between two others looks like a plain node.
    {"skeleton-gap", false, no_leftover},
    {"skin-unused", false, no_leftover},
    {"mesh-normals", false, "the importer gives normals by corner, changed"},
    {"morph-rest-weights", false, "the importer gives default weights of its own"},
    {"transform-unit-mismatch", true, no_unit},
    {"transform-precision", true, no_unit},
}};

}  // namespace

std::optional<std::string_view> not_judged_because(const Asset& asset, std::string_view rule) {
  if (asset.format != Format::imported) return std::nullopt;
  for (const Row& row : rows) {
    if (row.rule == rule && !(row.only_without_unit && asset.unit_declared)) return row.because;
  }
  return std::nullopt;
}

}  // namespace skinlint
