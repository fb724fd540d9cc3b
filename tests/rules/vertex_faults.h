#pragma once
// Faults of single vertices, put into the clean chain rig: what the weights-* tests share.

#include <string>
#include <vector>

#include "support/fbx_form.h"
#include "support/rig.h"
#include "support/rule_run.h"

namespace skinlint::test {

/// The chain rig with the influences of some vertices replaced.
struct VertexFault {
  std::size_t vertex = 0;
  std::vector<RigInfluence> influences;
};
inline Rig chain_with(const std::vector<VertexFault>& faults) {
  Rig rig = chain_rig();
  for (const VertexFault& fault : faults) {
    rig.meshes[0].parts[0].influences[fault.vertex] = fault.influences;
  }
  return rig;
}

inline Asset gltf_with(const std::vector<VertexFault>& faults, const EncodeOptions& options = {}) {
  return to_asset(chain_with(faults), options);
}
inline Asset fbx_with(const std::vector<VertexFault>& faults, LinkMode mode = LinkMode::normalize) {
  return to_fbx_asset(chain_with(faults), mode);
}

/// The chain rig with a second node showing the same mesh and skin.
inline Rig with_instance(Rig rig) {
  RigNode node;
  node.name = "again";
  rig.nodes.push_back(node);
  rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 0, 0});
  return rig;
}

constexpr ElementRef first_binding{ElementKind::binding, 0, 0};

}  // namespace skinlint::test
