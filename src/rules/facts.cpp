#include "rules/facts.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>

#include "skinning/hierarchy.h"

namespace skinlint {
namespace {

/// Two matrices as a key: their bits, so that NaN finds itself.
using MatrixBits = std::array<std::uint64_t, 32>;

MatrixBits bits_of(const Mat4& a, const Mat4& b) {
  MatrixBits bits;
  static_assert(sizeof bits == 2 * 16 * sizeof(double));
  std::memcpy(bits.data(), a.data(), sizeof bits / 2);
  std::memcpy(bits.data() + bits.size() / 2, b.data(), sizeof bits / 2);
  return bits;
}

}  // namespace

struct Facts::State {
  State(const Asset& a, ZeroWeightPolicy::Kind kind, std::string joint)
      : asset(a), zero_weight(kind), fallback_joint(std::move(joint)) {}

  const Asset& asset;
  ZeroWeightPolicy::Kind zero_weight;
  std::string fallback_joint;
  std::optional<std::vector<Mat4>> world_from_node;
  std::optional<std::vector<std::int32_t>> root_of_node, depth_of_node;
  std::optional<std::vector<std::vector<std::size_t>>> bindings_of_skin;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<bool>> used_vertices;
  std::optional<std::vector<std::uint8_t>> animated;  // bit 0: any transform, bit 1: scale
  // Bindings of one mesh whose tables and joint counts agree share one pass over the vertices.
  using InfluenceKey = std::tuple<std::int32_t, std::vector<std::int32_t>, std::size_t>;
  std::map<InfluenceKey, std::unique_ptr<InfluenceAnalysis>> influences;
  std::vector<const InfluenceAnalysis*> influences_of_binding;
  // Bindings of one skin and one pass whose meshes stand alike share one bind analysis.
  using BindKey = std::tuple<const InfluenceAnalysis*, std::int32_t, MatrixBits>;
  std::map<BindKey, std::unique_ptr<BindAnalysis>> shared_bind;
  std::vector<const BindAnalysis*> bind_of_binding;
  std::vector<std::unique_ptr<BindAnalysis>> refused;
  std::map<const BindAnalysis*, std::unique_ptr<BindingDiagnosis>> diagnosis;
  std::uint64_t joints_kept = 0, work_done = 0;

  /// A small file can name the same big mesh and skin tens of thousands of times: memory and time
  /// are bounded by what the file's size can justify.
  bool within_budget(const InfluenceAnalysis& influence, std::size_t joints) {
    joints_kept += joints;
    work_done += influence.vertices + 64 * joints + asset.nodes.size();
    return joints_kept <= (std::uint64_t{1} << 16) + asset.file_bytes / 64 &&
           work_done <= (std::uint64_t{1} << 26) + 256 * asset.file_bytes;
  }

  const Skin& skin(std::size_t binding) const {
    return asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  }
};

Facts::Facts(const Asset& asset, ZeroWeightPolicy::Kind zero_weight, std::string fallback_joint)
    : state_(std::make_unique<State>(asset, zero_weight, std::move(fallback_joint))) {
  state_->influences_of_binding.resize(asset.bindings.size());
  state_->bind_of_binding.resize(asset.bindings.size());
}

Facts::~Facts() = default;

const Asset& Facts::asset() const { return state_->asset; }

const std::vector<Mat4>& Facts::world_from_node() const {
  if (!state_->world_from_node) state_->world_from_node = world_from_nodes(state_->asset);
  return *state_->world_from_node;
}

const std::vector<std::int32_t>& Facts::root_of_node() const {
  if (!state_->root_of_node) state_->root_of_node = root_of_nodes(state_->asset);
  return *state_->root_of_node;
}

const std::vector<std::int32_t>& Facts::depth_of_node() const {
  if (!state_->depth_of_node) state_->depth_of_node = depth_of_nodes(state_->asset);
  return *state_->depth_of_node;
}

const InfluenceAnalysis& Facts::influences(std::size_t binding) const {
  const InfluenceAnalysis*& cached = state_->influences_of_binding[binding];
  if (cached == nullptr) {
    const Binding& b = state_->asset.bindings[binding];
    const std::size_t joints = state_->skin(binding).joints.size();
    std::unique_ptr<InfluenceAnalysis>& shared = state_->influences[{b.mesh, b.influences, joints}];
    if (!shared) {
      shared = std::make_unique<InfluenceAnalysis>(
          analyse_influences(state_->asset, state_->asset.meshes[static_cast<std::size_t>(b.mesh)],
                             b.influences, joints));
    }
    cached = shared.get();
  }
  return *cached;
}

const BindAnalysis& Facts::bind(std::size_t binding) const {
  const BindAnalysis*& cached = state_->bind_of_binding[binding];
  if (cached != nullptr) return *cached;
  const Binding& b = state_->asset.bindings[binding];
  const InfluenceAnalysis& influence = influences(binding);
  const Mat4& world_from_mesh_node = world_from_node()[static_cast<std::size_t>(b.node)];
  const State::BindKey key{&influence, b.skin, bits_of(world_from_mesh_node, b.node_from_geometry)};
  if (const auto known = state_->shared_bind.find(key); known != state_->shared_bind.end()) {
    cached = known->second.get();
    return *cached;
  }
  auto analysis = std::make_unique<BindAnalysis>();
  if (state_->within_budget(influence, state_->skin(binding).joints.size())) {
    BindInput input;
    input.asset = &state_->asset;
    input.binding = binding;
    input.world_from_node = &world_from_node();
    input.depth = &depth_of_node();
    input.influences = &influence;
    *analysis = analyse_bind(input);
    cached = analysis.get();
    state_->shared_bind.emplace(key, std::move(analysis));
  } else {
    analysis->unknown_because = "too many bindings for a file of this size";
    cached = analysis.get();
    state_->refused.push_back(std::move(analysis));
  }
  return *cached;
}

const BindingDiagnosis& Facts::diagnosis(std::size_t binding) const {
  const BindAnalysis& analysis = bind(binding);
  // Bindings that share a bind analysis share its explanation.
  std::unique_ptr<BindingDiagnosis>& cached = state_->diagnosis[&analysis];
  if (!cached) {
    DiagnosisInput input;
    input.asset = &state_->asset;
    input.binding = binding;
    input.world_from_node = &world_from_node();
    input.depth = &depth_of_node();
    input.influences = &influences(binding);
    input.bind = &analysis;
    cached = std::make_unique<BindingDiagnosis>(diagnose(input));
  }
  return *cached;
}

SkinMatrices Facts::skin_matrices(std::size_t binding) const {
  SkinMatrices matrices;
  for (const JointBind& joint : bind(binding).joints) {
    matrices.world_from_mesh.push_back(joint.world_from_mesh);
    matrices.usable.push_back(joint.use == JointBind::Use::usable);
  }
  return matrices;
}

const std::vector<std::size_t>& Facts::bindings_of_skin(std::size_t skin) const {
  if (!state_->bindings_of_skin) {
    state_->bindings_of_skin.emplace(state_->asset.skins.size());
    for (std::size_t b = 0; b < state_->asset.bindings.size(); ++b) {
      (*state_->bindings_of_skin)[static_cast<std::size_t>(state_->asset.bindings[b].skin)]
          .push_back(b);
    }
  }
  return (*state_->bindings_of_skin)[skin];
}

const std::vector<bool>& Facts::used_vertices(std::size_t mesh, std::size_t part) const {
  const auto [it, added] = state_->used_vertices.try_emplace({mesh, part});
  if (added) it->second = skinlint::used_vertices(state_->asset.meshes[mesh].parts[part]);
  return it->second;
}

namespace {

std::vector<std::uint8_t> animated_nodes(const Asset& asset) {
  std::vector<std::uint8_t> flags(asset.nodes.size(), 0);
  for (const Clip& clip : asset.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.node < 0 || channel.path == ChannelPath::weights) continue;
      std::uint8_t& flag = flags[static_cast<std::size_t>(channel.node)];
      flag |= std::uint8_t{1};
      if (channel.path == ChannelPath::scale) flag |= std::uint8_t{2};
    }
  }
  return flags;
}

}  // namespace

bool Facts::animated(std::int32_t node) const {
  if (node < 0) return false;
  if (!state_->animated) state_->animated = animated_nodes(state_->asset);
  return (*state_->animated)[static_cast<std::size_t>(node)] != 0;
}

bool Facts::scale_animated(std::int32_t node) const {
  return animated(node) && ((*state_->animated)[static_cast<std::size_t>(node)] & 2U) != 0;
}

ZeroWeightPolicy Facts::zero_weight(std::size_t binding) const {
  ZeroWeightPolicy policy;
  policy.kind = state_->zero_weight;
  if (policy.kind != ZeroWeightPolicy::Kind::fallback) return policy;
  const Skin& skin = state_->skin(binding);
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    if (skin.joints[j] >= 0 && state_->asset.node_name(skin.joints[j]) == state_->fallback_joint) {
      policy.fallback_slot = static_cast<std::int32_t>(j);
      break;
    }
  }
  return policy;
}

const std::string& Facts::fallback_joint() const { return state_->fallback_joint; }

}  // namespace skinlint
