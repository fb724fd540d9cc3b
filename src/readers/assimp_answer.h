#pragma once
// What the isolated Assimp process tells: the parts of a scene that skinning rests on, as Assimp
// has them, and their bytes on the pipe. Seen by the worker and by the tool; the tool takes the
// bytes for hostile, because a process that read a broken file may have written anything.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace skinlint::assimp {

/// Row-major, column vectors.
using Matrix = std::array<float, 16>;

struct SceneNode {
  std::string name;
  std::int32_t parent = -1;  // before this node; -1 for the root, which is node 0
  Matrix parent_from_node{};
  std::vector<std::uint32_t> meshes;  // in range
};

struct BoneWeight {
  std::uint32_t vertex = 0;  // as Assimp has it: may be out of range
  float weight = 0.0F;
};

struct SceneBone {
  std::string name;  // a node's, by which it is found
  Matrix offset{};   // bone from mesh
  std::vector<BoneWeight> weights;
};

struct SceneShape {
  std::string name;
  float default_weight = 0.0F;
  std::vector<float> positions;  // absolute, 3 for each vertex of the mesh; empty: none
};

struct SceneMesh {
  std::string name;
  std::uint32_t material = 0;
  std::vector<float> positions;             // 3 for each vertex
  std::vector<std::uint32_t> face_sizes;    // corners of each face
  std::vector<std::uint32_t> face_corners;  // vertex of each corner; may be out of range
  std::vector<SceneBone> bones;
  std::vector<SceneShape> shapes;
  std::size_t vertex_count() const { return positions.size() / 3; }
};

struct SceneChannel {
  std::string node;
  std::vector<double> position_times, rotation_times, scale_times;  // ticks
  std::vector<float> positions, rotations, scales;                  // 3, 4 (x y z w), 3 for each
};

struct SceneClip {
  std::string name;
  double duration = 0.0;          // ticks
  double ticks_per_second = 0.0;  // 0: Assimp does not know
  std::vector<SceneChannel> channels;
};

struct Answer {
  enum class Outcome : std::uint8_t { imported, refused, over_memory };
  std::string version;  // of the library: "5.2.4"
  Outcome outcome = Outcome::refused;
  std::string message;  // Assimp's own, when it refused
  bool incomplete = false;
  std::string generator;                // from the scene's metadata, may be empty
  std::string format_version;           // "1.4.1", may be empty
  std::vector<std::string> companions;  // files beside the main one that were asked for
  std::vector<SceneNode> nodes;         // parents first
  std::vector<SceneMesh> meshes;
  std::vector<SceneClip> clips;
};

std::string encode_answer(const Answer& answer);

/// Errors in one sentence. Never reads past the bytes, and takes memory only for what they hold:
/// every list is at most as long as the bytes that are left. Of an answer that decodes, indices are
/// in range where the structures say so, and lists have the lengths that belong together.
Result<Answer, std::string> decode_answer(std::string_view bytes);

}  // namespace skinlint::assimp
