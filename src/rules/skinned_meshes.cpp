#include "rules/skinned_meshes.h"

#include <optional>

namespace skinlint::rules {

std::vector<SkinnedMesh> skinned_meshes(const Asset& asset) {
  std::vector<std::optional<std::size_t>> first(asset.meshes.size());
  for (std::size_t b = asset.bindings.size(); b-- > 0;) {
    first[static_cast<std::size_t>(asset.bindings[b].mesh)] = b;
  }
  std::vector<SkinnedMesh> out;
  for (std::size_t m = 0; m < first.size(); ++m) {
    if (first[m]) out.push_back({m, *first[m]});
  }
  return out;
}

}  // namespace skinlint::rules
