#pragma once
// How far an engine that computes differently would be off in one pose.

#include <cstdint>
#include <vector>

#include "skinning/bound_mesh.h"
#include "skinning/pose_worlds.h"

namespace skinlint {

/// The largest distance between two evaluations, and where.
struct Difference {
  double largest = 0.0;        // metres
  std::int32_t part = -1;      // -1: nothing differs
  std::uint32_t vertex = 0;    // within the part
  std::uint64_t vertices = 0;  // that differ by more than 1e-9 m
  void add(double distance, std::size_t part_index, std::size_t vertex_index);
};

struct PoseComparisons {
  Difference float32;              // every step in single precision against double
  Difference four;                 // the four heaviest influences against all
  Difference morphs_after;         // offsets added after skinning, each target alone at 1
  std::int32_t morph_target = -1;  // the one that differs most
};

/// `bind` is S of the binding. Linear blending throughout. O(vertices * (1 + targets)).
PoseComparisons compare_evaluations(const Asset& asset, std::size_t binding, const Mat4& bind,
                                    const AssetPose& pose);

}  // namespace skinlint
