#pragma once
// Facts: derived things, computed once and on demand from an immutable Asset.

#include <memory>
#include <vector>

#include "model/asset.h"
#include "skinning/bind_analysis.h"
#include "skinning/diagnosis.h"
#include "skinning/evaluator.h"
#include "skinning/influence_analysis.h"

namespace skinlint {

class Facts {
 public:
  explicit Facts(const Asset& asset,
                 ZeroWeightPolicy::Kind zero_weight = ZeroWeightPolicy::Kind::reject,
                 std::string fallback_joint = {});
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  const Asset& asset() const;
  const std::vector<Mat4>& world_from_node() const;
  const std::vector<std::int32_t>& root_of_node() const;
  const std::vector<std::int32_t>& depth_of_node() const;

  /// Shared by bindings of one mesh with one joint count.
  const InfluenceAnalysis& influences(std::size_t binding) const;
  const BindAnalysis& bind(std::size_t binding) const;
  /// Why the binding's matrices or places disagree, where they do.
  const BindingDiagnosis& diagnosis(std::size_t binding) const;
  /// S_j of a binding at rest.
  SkinMatrices skin_matrices(std::size_t binding) const;
  /// Bindings of one skin.
  const std::vector<std::size_t>& bindings_of_skin(std::size_t skin) const;
  /// Which vertices of a part polygons use; built once per part.
  const std::vector<bool>& used_vertices(std::size_t mesh, std::size_t part) const;
  /// True when a clip keys this node's scale / any transform.
  bool scale_animated(std::int32_t node) const;
  bool animated(std::int32_t node) const;

  ZeroWeightPolicy zero_weight(std::size_t binding) const;
  const std::string& fallback_joint() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skinlint
