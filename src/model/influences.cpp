#include "model/influences.h"

#include <algorithm>

namespace skinlint {
namespace {

constexpr std::size_t block_vertices = 1024;
constexpr std::size_t block_entries = std::size_t{1} << 16;  // joints or weights held at once
constexpr std::size_t slots_per_set = 4;

bool legal_weights(const Stream& s) {
  if (s.components != slots_per_set) return false;
  return s.type == ComponentType::f32 || s.type == ComponentType::f64 ||
         ((s.type == ComponentType::u8 || s.type == ComponentType::u16) && s.normalized);
}

// Unsigned integers; anything else is a weights-array-mismatch.
bool legal_joints(const Stream& s) {
  return s.components == slots_per_set && !s.normalized &&
         (s.type == ComponentType::u8 || s.type == ComponentType::u16 ||
          s.type == ComponentType::u32);
}

}  // namespace

std::vector<std::size_t> InfluenceTable::usable_sets() const {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Set& set = sets[i];
    if (legal_joints(set.joints) && legal_weights(set.weights) && set.joints.readable() &&
        set.weights.readable() && set.joints.count == vertex_count &&
        set.weights.count == vertex_count) {
      usable.push_back(i);
    }
  }
  return usable;
}

bool InfluenceTable::empty() const { return !uses_lists() && usable_sets().empty(); }

double InfluenceTable::quantisation_step() const {
  double step = 0.0;
  ComponentType seen = ComponentType::none;
  for (const std::size_t i : usable_sets()) {
    const Stream& weights = sets[i].weights;
    if (!is_integer(weights.type)) return 0.0;
    if (seen != ComponentType::none && seen != weights.type) return 0.0;
    seen = weights.type;
    step = weights.type == ComponentType::u8 ? 1.0 / 255.0 : 1.0 / 65535.0;
  }
  return step;
}

std::span<const std::uint32_t> InfluenceBlock::joints_of(std::size_t i) const {
  if (offsets == nullptr) return {joints + i * width, width};
  return {joints + (offsets[i] - base), offsets[i + 1] - offsets[i]};
}

std::span<const double> InfluenceBlock::weights_of(std::size_t i) const {
  if (offsets == nullptr) return {weights + i * width, width};
  return {weights + (offsets[i] - base), offsets[i + 1] - offsets[i]};
}

InfluenceReader::InfluenceReader(const InfluenceTable& table)
    : table_(table), usable_(table.usable_sets()) {}

bool InfluenceReader::next(InfluenceBlock& block) {
  if (position_ >= table_.vertex_count || (usable_.empty() && !table_.uses_lists())) return false;
  const std::size_t width = slots_per_set * std::max<std::size_t>(usable_.size(), 1);
  const std::size_t most = std::clamp<std::size_t>(block_entries / width, 1, block_vertices);
  const std::size_t n = std::min(most, table_.vertex_count - position_);
  fill(position_, n, block);
  position_ += n;
  return true;
}

InfluenceBlock InfluenceReader::at(std::size_t vertex) {
  InfluenceBlock block;
  fill(vertex, 1, block);
  return block;
}

void InfluenceReader::fill(std::size_t begin, std::size_t n, InfluenceBlock& block) {
  block = {};
  block.first_vertex = begin;
  block.count = n;
  if (table_.uses_lists()) {
    block.offsets = table_.first.data() + begin;
    block.joints = table_.joint.data();
    block.weights = table_.weight.data();
    return;
  }
  const std::size_t width = slots_per_set * usable_.size();
  block.width = width;
  joints_.resize(n * width);
  weights_.resize(n * width);
  if (usable_.size() == 1) {
    const InfluenceTable::Set& set = table_.sets[usable_.front()];
    read_indices(set.joints, begin, n, joints_.data());
    read_values(set.weights, begin, n, weights_.data());
  } else {
    set_joints_.resize(n * slots_per_set);
    set_weights_.resize(n * slots_per_set);
    for (std::size_t s = 0; s < usable_.size(); ++s) {
      const InfluenceTable::Set& set = table_.sets[usable_[s]];
      read_indices(set.joints, begin, n, set_joints_.data());
      read_values(set.weights, begin, n, set_weights_.data());
      for (std::size_t v = 0; v < n; ++v) {
        for (std::size_t k = 0; k < slots_per_set; ++k) {
          joints_[v * width + s * slots_per_set + k] = set_joints_[v * slots_per_set + k];
          weights_[v * width + s * slots_per_set + k] = set_weights_[v * slots_per_set + k];
        }
      }
    }
  }
  block.joints = joints_.data();
  block.weights = weights_.data();
}

}  // namespace skinlint
