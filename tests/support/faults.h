#pragma once
// Faults of known kind, place and size, put into clean assets: what detection and diagnosis are
// measured with (docs/diagnosis.md). A fault acts on the asset as a reader delivers it, so that any
// file can carry it, glTF or FBX.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rules/facts.h"
#include "rules/finding.h"
#include "support/asset_edit.h"

namespace skinlint::test {

/// The same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next();
  std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }
  double between(double low, double high);
  Vec3 direction();

 private:
  std::uint64_t state_;
};

/// A binding of a clean asset with what a fault needs to know of it, measured once.
class FaultSite {
 public:
  /// The asset must outlive the site.
  FaultSite(const Asset& asset, std::size_t binding);

  const Asset& asset() const { return asset_; }
  std::size_t binding() const { return binding_; }
  const Binding& bound() const { return asset_.bindings[binding_]; }
  const Skin& skin() const;
  bool gltf() const { return is_gltf(asset_.format); }
  const Mat4& consensus() const { return facts_.bind(binding_).consensus; }
  double size() const { return facts_.bind(binding_).size; }
  double tau() const { return facts_.bind(binding_).tau; }
  const Facts& facts() const { return facts_; }
  const Mat4& world(std::int32_t node) const;
  const InfluenceAnalysis& influences() const { return facts_.influences(binding_); }

  /// Slots with weight and a usable matrix.
  const std::vector<std::size_t>& weighted() const { return weighted_; }
  bool is_weighted(std::size_t slot) const { return largest_weight_[slot] > 0.0; }
  /// The largest share that the joint has in any vertex, 0..1.
  double largest_weight(std::size_t slot) const { return largest_weight_[slot]; }
  /// Nearest slot above each slot, -1 for a top joint.
  const std::vector<std::int32_t>& parents() const { return parents_; }
  /// A weighted slot directly below this one (no other joint between).
  bool has_weighted_child(std::size_t slot) const;
  /// Slots at or below this one.
  std::vector<bool> below(std::size_t slot) const;
  /// Neither its mesh nor its skin is used by another binding.
  bool alone() const;
  /// Joints that place heavy vertices: the placement score needs five.
  std::size_t placed_joints() const;
  /// Top joints: no joint of this skin above them.
  std::vector<std::size_t> tops() const;

 private:
  const Asset& asset_;
  std::size_t binding_;
  Facts facts_;
  std::vector<std::size_t> weighted_;
  std::vector<double> largest_weight_;
  std::vector<std::int32_t> parents_;
};

/// An asset with a fault in it.
struct Injected {
  Asset asset;
  /// The slots whose own transform or matrix is wrong, where a right answer is such a list.
  std::vector<std::int32_t> slots;
};

struct FaultKind {
  std::string_view id;
  enum class Forms : std::uint8_t { both, gltf, fbx } forms = Forms::both;
  /// One of these must speak, at `least` or above.
  std::vector<std::string_view> rules = {};
  Severity least = Severity::warning;
  /// Causes that are right, as the file's content cannot tell them apart; empty: none is asked for.
  std::vector<std::string_view> causes = {};
  /// Rules that may speak as well.
  std::vector<std::string_view> companions = {};
  /// Sizes are multiples of a rule's limit; else the fault is there or not.
  bool graded = false;
  /// No fault at all: nothing may be said.
  bool harmless = false;
  /// Writers can express it (a rig has no records that contradict themselves).
  bool encodable = true;
  /// Empty: meaningless here, by a measure of the data and not by what the tool says.
  std::optional<Injected> (*inject)(const FaultSite& site, Random& random, double size) = nullptr;
};

const std::vector<FaultKind>& fault_kinds();
bool fits_format(const FaultKind& kind, Format format);

/// How far the joints put their own vertices apart that should share one mesh space, over the size:
/// each joint's heavy vertices against where the best single joint's matrix puts them, times its
/// largest weight. What a fault of the whole skin is judged to be visible by.
double disagreement(const FaultSite& site, const Asset& changed);
/// The placement score of docs/model.md, computed anew from the matrices and boxes, with the
/// vertices moved by `change` (world side).
double placement_score(const FaultSite& site, const Mat4& change);

namespace fault_detail {
std::vector<FaultKind> stored_form_faults();
std::vector<FaultKind> conversion_faults();
std::vector<FaultKind> pose_faults();
std::vector<FaultKind> matrix_faults();
std::vector<FaultKind> record_faults();
std::vector<FaultKind> weight_faults();

Mat4 translated(const Vec3& by);
Mat4 linear_map(const Mat3& m);
Mat3 turned(double degrees, const Vec3& axis);
/// `m`, which maps mesh space to the world, with the world moved by `change`: S^-1 * change * S.
Mat4 in_mesh_space(const FaultSite& site, const Mat4& change);
/// Moves every vertex of the binding's mesh; false when some part has no readable positions.
bool move_vertices(const FaultSite& site, Asset& asset, const Mat4& mesh_from_mesh);
/// The slots that pass, in slot order; one of them by chance, -1 when none does.
template <class Pass>
std::int32_t choose(const std::vector<std::size_t>& slots, Random& random, Pass pass) {
  std::vector<std::size_t> fit;
  for (const std::size_t slot : slots) {
    if (pass(slot)) fit.push_back(slot);
  }
  return fit.empty() ? -1 : static_cast<std::int32_t>(fit[random.below(fit.size())]);
}
}  // namespace fault_detail

}  // namespace skinlint::test
