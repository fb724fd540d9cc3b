#pragma once
// What another importer saw in the same file: the parts that skinning rests on, in that importer's
// own terms, so that a rule can compare them with the Asset. Made by the readers' second opinion.

#include <cstdint>
#include <string>
#include <vector>

#include "model/math.h"

namespace skinlint {

struct ImporterView {
  std::string importer;  // "Assimp 5.2.4", as the library calls itself
  enum class Outcome : std::uint8_t { imported, refused, crashed, timed_out, over_memory };
  Outcome outcome = Outcome::imported;
  /// Of an import that failed: the importer's words, the signal ("SIGSEGV (Segmentation fault)"),
  /// the time or the memory it was allowed.
  std::string detail;
  std::string crash_on_release;  // imported, then this signal when the scene was let go
  bool incomplete = false;       // by the importer's own flag

  struct Node {
    std::string name;
    std::int32_t parent = -1;  // before this node
    std::vector<std::int32_t> children;
    Mat4 world_from_node = Mat4::Identity();
    std::vector<std::int32_t> meshes;
  };
  struct Weight {
    std::uint32_t vertex = 0;  // may be out of range
    float weight = 0.0F;
  };
  struct Bone {
    std::string name;
    std::int32_t node = -1;  // the first of this name, depth first, as such importers look it up
    Mat4 bone_from_mesh = Mat4::Identity();
    std::vector<Weight> weights;
  };
  struct Mesh {
    std::string name;
    std::vector<float> positions;  // 3 for each vertex
    std::vector<std::uint32_t> face_sizes, face_corners;
    std::vector<Bone> bones;
    std::vector<std::string> shapes;  // names of its morph targets
    std::size_t vertex_count() const { return positions.size() / 3; }
  };
  /// Matrices and positions in the file's own space: this importer applies neither FBX's unit nor
  /// its axes. Asset::canonical_from_file leads to the Asset's.
  std::vector<Node> nodes;
  std::vector<Mesh> meshes;
};

}  // namespace skinlint
