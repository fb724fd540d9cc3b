#pragma once
// Names for the things a finding can be about. An ElementRef is cheap; its path and locator are
// made by Asset on demand (invariant I5).

#include <compare>
#include <cstdint>
#include <string_view>

namespace skinlint {

enum class ElementKind : std::uint8_t {
  file,          // index unused
  scene,         // index: Asset::scenes
  node,          // index: Asset::nodes
  mesh,          // index: Asset::meshes
  part,          // index: mesh, sub: part (a glTF primitive; FBX has one part per geometry)
  skin,          // index: Asset::skins
  joint,         // index: skin, sub: slot in Skin::joints
  binding,       // index: Asset::bindings
  morph_target,  // index: mesh, sub: Mesh::morphs
  clip,          // index: Asset::clips
  channel,       // index: clip, sub: Clip::channels
  bind_pose,     // index: Asset::bind_poses
  accessor,      // index: the file's own accessor index
  buffer_view,   // index: the file's own index
  buffer,        // index: the file's own index
  extension,     // index: Asset::unsupported
};

std::string_view element_kind_name(ElementKind kind);

struct ElementRef {
  ElementKind kind = ElementKind::file;
  std::int32_t index = 0;
  std::int32_t sub = 0;
  friend auto operator<=>(const ElementRef&, const ElementRef&) = default;
};

}  // namespace skinlint
