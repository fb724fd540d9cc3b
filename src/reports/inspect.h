#pragma once
// The canonical model of one asset as text for engine programmers, or as JSON (schema
// skinlint-inspect/1, docs/inspect.schema.json).

#include <iosfwd>
#include <string>

#include "rules/facts.h"

namespace skinlint {

/// How matrices and positions are shown. `column`: column vectors, 16 numbers row by row. `row`:
/// the transpose, as engines with row vectors print them. `unity`: left-handed (X negated), column
/// vectors, row by row, as Unity prints Matrix4x4; only for an asset in canonical space. Unity's
/// Mesh.bindposes are `joint_from_mesh` and already hold the transform of the mesh at bind.
enum class Convention : std::uint8_t { column, row, unity };

struct InspectOptions {
  std::string skin;       // only bindings of the skin of this name; empty: all
  std::string joint;      // only joints of this name; empty: all
  bool vertices = false;  // positions, weights and morph offsets too
  Convention convention = Convention::column;
};

/// Matrix or position as the convention shows it. Non-finite numbers pass through.
Mat4 in_convention(const Mat4& matrix, Convention convention);
Vec3 in_convention(const Vec3& position, Convention convention);
std::string_view convention_name(Convention convention);

/// M_model of a binding: FBX world_from_node * node_from_geometry, glTF the consensus. Empty when
/// it cannot be known.
std::optional<Mat4> world_from_mesh(const Facts& facts, std::size_t binding);
/// Vertices of a binding's skinned parts that no polygon uses.
std::uint64_t unused_vertices(const Facts& facts, std::size_t binding);

/// How many offsets a morph shape stores and their sum, over all parts. Sparse shapes (FBX) count
/// what is stored; dense ones (glTF) count the vertices with an offset that is not zero.
struct MorphStatistics {
  std::uint64_t offsets = 0;
  Vec3 delta_sum = Vec3::Zero();
};
MorphStatistics morph_statistics(const MorphTarget::Shape& shape);

/// Both write in pieces; memory does not grow with the asset. `path` is shown as given.
void write_inspect_json(std::ostream& out, const Facts& facts, const std::string& path,
                        const InspectOptions& options);
void write_inspect_text(std::ostream& out, const Facts& facts, const std::string& path,
                        const InspectOptions& options);

}  // namespace skinlint
