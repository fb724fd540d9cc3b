#pragma once
// Faults of weights put into a sound asset at a known place. Every mesh in the first binding that
// shares a stored position counts as one vertex, as an artist sees it.

#include <cstdint>
#include <string>
#include <vector>

#include "model/asset.h"
#include "model/result.h"
#include "support/rig.h"

namespace skinlint::test {

struct Planted {
  Asset asset;
  std::int32_t joint = -1;              // slot that is at fault
  std::vector<std::uint32_t> vertices;  // of part 0, one per place
};

/// Slot of the first skin whose joint has this name; throws std::logic_error when there is none.
std::int32_t slot_named(const Asset& asset, const std::string& name);

/// The vertex that follows `from` most is bound to the joint farthest from it alone.
Planted bind_one_vertex_far(const Asset& asset, const std::string& from);
/// `count` vertices that follow `left` most, nearest to one another, follow `right` in its place.
Planted swap_sides(const Asset& asset, const std::string& left, const std::string& right,
                   std::size_t count);
/// Every vertex follows what hangs on the joint wholly or not at all.
Planted harden_joint(const Asset& asset, std::int32_t slot);
/// Vertices of `region` also follow `joint` a little, as much as they follow the region.
Planted leak(const Asset& asset, const std::string& joint, const std::string& region,
             double weight);

/// The tube of chain_rig with a texture seam: one column of vertices stored twice.
Rig split_seam(Rig rig);
/// Of the vertices stored twice, the second of pairs [from, to) follow another joint.
Planted open_seam(const Asset& asset, std::size_t from, std::size_t to);

Result<Asset> read_corpus_file(const std::string& path);

}  // namespace skinlint::test
