#pragma once
// A posed mesh for looking at: Wavefront OBJ or binary glTF, geometry alone.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "model/math.h"

namespace skinlint {

struct PosedMesh {
  struct Part {
    std::vector<Vec3> positions;  // world, metres; finite
    std::vector<Vec3> normals;    // unit, one per position; empty: none
    std::vector<std::array<std::uint32_t, 3>> triangles;
  };
  std::string name;
  std::vector<Part> parts;
};

/// Vertices in the order of meshes and parts, numbers that read back as the same doubles. `comment`
/// becomes the first lines.
void write_obj(std::ostream& out, const std::vector<PosedMesh>& meshes, const std::string& comment);

/// glTF 2.0, one node and mesh per PosedMesh, one primitive per part (points where it has no
/// triangles); positions in single precision. Parts without vertices are left out. False, with
/// nothing written, when there is no vertex at all or more than a GLB can hold (4 GiB).
bool write_glb(std::ostream& out, const std::vector<PosedMesh>& meshes,
               const std::string& generator);

}  // namespace skinlint
