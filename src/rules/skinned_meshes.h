#pragma once
// The meshes that some skin moves: what the mesh-* and morph-* rules judge.

#include <cstddef>
#include <vector>

#include "model/asset.h"

namespace skinlint::rules {

struct SkinnedMesh {
  std::size_t mesh = 0;
  std::size_t binding = 0;  // the first of this mesh
};

/// In file order of the meshes, each once.
std::vector<SkinnedMesh> skinned_meshes(const Asset& asset);

}  // namespace skinlint::rules
