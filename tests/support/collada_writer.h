#pragma once
// COLLADA 1.4.1 files made from a rig: what Blender's exporter writes, with any up axis and unit.

#include <string>

#include "support/rig.h"

namespace skinlint::test {

struct ColladaWriteOptions {
  char up = 'Z';  // 'X', 'Y' or 'Z'
  double unit_meters = 1.0;
  /// Each part of a mesh has a material of its own: importers split the mesh there.
  bool materials = true;
};

/// v_canonical = canonical_from_collada * v_file of the declared axis and unit.
Mat4 canonical_from_collada(const ColladaWriteOptions& options);

/// The rig is canonical (metres, +Y up, +Z front) and is written in the file's axes and unit. Every
/// node's id is its name, which must be unique. Clips: the keyed nodes' matrices at each key of
/// their first channel. Morph targets are left out.
std::string write_collada(const Rig& rig, const ColladaWriteOptions& options = {});

}  // namespace skinlint::test
