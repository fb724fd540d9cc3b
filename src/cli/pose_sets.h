#pragma once
// The poses that `pose` can be told: as bound, at rest, one joint turned, and those of a file.

#include <string>
#include <vector>

#include "rules/facts.h"
#include "skinning/pose_worlds.h"

namespace skinlint::cli {

/// Poses made from one asset; keeps what they have in common.
class PoseMaker {
 public:
  explicit PoseMaker(const Facts& facts);

  AssetPose bind() const;
  AssetPose rest() const;
  /// A clip at a time of its own. Not compared with other ways to evaluate: keys are many.
  AssetPose at(std::int32_t clip, double seconds) const;
  /// Every joint turned by `degrees` about its own X, from bind.
  AssetPose all_turned(double degrees) const;
  /// "JOINT:x+90", "JOINT:y-45", "JOINT:twist180" from bind. Empty `error` on success.
  AssetPose turned(const std::string& text, std::string& error) const;
  /// Poses of a file (docs/pose.md); one sentence about what is wrong with it, or empty.
  std::string read_file(const std::string& path, std::vector<AssetPose>& out) const;

  /// The node that a joint's name means; -1 with `error` set when none or several do.
  std::int32_t joint(const std::string& name, std::string& error) const;

 private:
  AssetPose named(std::string name, std::vector<Mat4> world) const;
  std::string read_pose(const void* json, std::vector<AssetPose>& out) const;

  const Facts& facts_;
  const Asset& asset_;
  std::vector<Mat4> bind_;  // world per node, as bound
};

/// Times of all keys of a clip, sorted, each once, those closer than a microsecond together joined.
std::vector<double> key_times(const Clip& clip);

}  // namespace skinlint::cli
