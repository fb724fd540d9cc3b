#pragma once
// Rigs whose normals, tangents or shapes are broken in one place: what the mesh-* and morph-* tests
// share.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fbx_breaks.h"

namespace skinlint::test {

inline RigPart& part_of(Rig& rig) { return rig.meshes.at(0).parts.at(0); }
inline MeshPart& part_of(Asset& asset) { return asset.meshes.at(0).parts.at(0); }

/// A shape whose offset is a function of the vertex.
inline void add_morph(Rig& rig, const std::string& name,
                      const std::function<Vec3(const Vec3&)>& offset, double weight = 0.0) {
  RigMorph morph;
  morph.name = name;
  morph.default_weight = weight;
  for (const Vec3& p : part_of(rig).positions) morph.offsets.push_back(offset(p));
  part_of(rig).morphs.push_back(std::move(morph));
}
inline Rig chain_with_morph(const std::function<Vec3(const Vec3&)>& offset, double weight = 0.0) {
  Rig rig = chain_rig(6);
  add_morph(rig, "shape", offset, weight);
  return rig;
}
inline Rig chain_with_morph(const Vec3& offset, double weight = 0.0) {
  return chain_with_morph([offset](const Vec3&) { return offset; }, weight);
}

/// A vertex that no triangle uses.
inline std::size_t add_stray_vertex(Rig& rig) {
  RigPart& part = part_of(rig);
  part.positions.push_back(part.positions.front());
  if (!part.normals.empty()) part.normals.push_back(part.normals.front());
  if (!part.tangents.empty()) part.tangents.push_back(part.tangents.front());
  if (!part.influences.empty()) part.influences.push_back(part.influences.front());
  return part.positions.size() - 1;
}

/// The rig without its skin.
inline Rig unskinned(Rig rig) {
  rig.skins.clear();
  for (RigInstance& instance : rig.instances) instance.skin = -1;
  part_of(rig).influences.clear();
  return rig;
}

/// A stream over numbers that the caller keeps.
template <class T>
Stream stream_over(const std::vector<T>& values, ComponentType type, std::uint8_t components,
                   bool normalized = false) {
  Stream stream;
  stream.data = reinterpret_cast<const std::byte*>(values.data());
  stream.type = type;
  stream.components = components;
  stream.stride = sizeof(T) * components;
  stream.count = values.size() / components;
  stream.normalized = normalized;
  return stream;
}

}  // namespace skinlint::test
