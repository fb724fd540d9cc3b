#include "support/rig_layout.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

namespace skinlint::test {
namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class T>
void append_integer(std::vector<std::byte>& bytes, double value, bool normalized) {
  if (normalized) value *= static_cast<double>(std::numeric_limits<T>::max());
  value = std::isnan(value) ? 0.0 : std::round(value);
  value = std::clamp(value, static_cast<double>(std::numeric_limits<T>::lowest()),
                     static_cast<double>(std::numeric_limits<T>::max()));
  append(bytes, static_cast<T>(value));
}

/// Largest-remainder rounding of one vertex's weights to multiples of 1/`steps`.
void quantise(std::vector<double>& weights, double steps) {
  double sum = 0.0, floor_sum = 0.0;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double& w = weights[i];
    w = std::isfinite(w) ? std::clamp(w, 0.0, 1.0) * steps : 0.0;
    sum += w;
    remainders.push_back({w - std::floor(w), i});
    w = std::floor(w);
    floor_sum += w;
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  auto missing = static_cast<std::size_t>(std::max(0.0, std::round(sum) - floor_sum));
  for (const auto& [remainder, i] : remainders)
    if (missing > 0 && remainder > 0.0) {
      weights[i] += 1.0;
      --missing;
    }
  for (double& w : weights) w /= steps;
}

RigPart without_indices(const RigPart& part) {
  RigPart out;
  for (const RigMorph& morph : part.morphs)
    out.morphs.push_back({morph.name, morph.default_weight, {}});
  for (const std::uint32_t v : part.triangles) {
    out.positions.push_back(part.positions.at(v));
    if (!part.normals.empty()) out.normals.push_back(part.normals.at(v));
    if (!part.tangents.empty()) out.tangents.push_back(part.tangents.at(v));
    if (!part.influences.empty()) out.influences.push_back(part.influences.at(v));
    for (std::size_t m = 0; m < part.morphs.size(); ++m)
      out.morphs[m].offsets.push_back(part.morphs[m].offsets.at(v));
  }
  return out;
}

}  // namespace

PackedArray pack(const std::vector<double>& values, ComponentType type, std::uint8_t components,
                 bool normalized) {
  PackedArray array;
  array.type = type;
  array.components = components;
  array.normalized = normalized;
  array.count = values.size() / components;
  array.bytes.reserve(values.size() * component_size(type));
  for (const double v : values) switch (type) {
      case ComponentType::i8:
        append_integer<std::int8_t>(array.bytes, v, normalized);
        break;
      case ComponentType::u8:
        append_integer<std::uint8_t>(array.bytes, v, normalized);
        break;
      case ComponentType::i16:
        append_integer<std::int16_t>(array.bytes, v, normalized);
        break;
      case ComponentType::u16:
        append_integer<std::uint16_t>(array.bytes, v, normalized);
        break;
      case ComponentType::u32:
        append_integer<std::uint32_t>(array.bytes, v, normalized);
        break;
      case ComponentType::f32:
        append(array.bytes, static_cast<float>(v));
        break;
      case ComponentType::none:
      case ComponentType::i32:
      case ComponentType::i64:
      case ComponentType::f64:
        throw std::logic_error("rig: not a glTF component type");
    }
  return array;
}

PackedArray pack(const std::vector<Vec3>& values) {
  std::vector<double> flat;
  flat.reserve(values.size() * 3);
  for (const Vec3& v : values) flat.insert(flat.end(), v.data(), v.data() + 3);
  return pack(flat, ComponentType::f32, 3);
}

PackedArray pack(const std::vector<Vec4>& values) {
  std::vector<double> flat;
  flat.reserve(values.size() * 4);
  for (const Vec4& v : values) flat.insert(flat.end(), v.data(), v.data() + 4);
  return pack(flat, ComponentType::f32, 4);
}

PackedArray pack(const std::vector<Mat4>& values) {
  std::vector<double> flat;
  flat.reserve(values.size() * 16);
  for (const Mat4& m : values) flat.insert(flat.end(), m.data(), m.data() + 16);
  return pack(flat, ComponentType::f32, 16);
}

PackedArray pack_indices(const std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
  const std::vector<double> flat(indices.begin(), indices.end());
  return pack(flat, vertex_count < 65536 ? ComponentType::u16 : ComponentType::u32, 1);
}

PackedPart pack_part(const RigPart& part, const EncodeOptions& options) {
  PackedPart packed;
  packed.part = options.indexed || part.triangles.empty() ? part : without_indices(part);
  const RigPart& source = packed.part;
  if (source.influences.empty()) return packed;

  std::size_t widest = 1;
  for (const auto& influences : source.influences) widest = std::max(widest, influences.size());
  const std::size_t sets =
      options.sets > 0 ? static_cast<std::size_t>(options.sets) : (widest + 3) / 4;
  std::vector<std::vector<double>> joints(sets), weights(sets);
  const bool integer = is_integer(options.weight_type);
  const double steps = options.weight_type == ComponentType::u8 ? 255.0 : 65535.0;
  for (const auto& influences : source.influences) {
    std::vector<double> slot_weights(sets * 4, 0.0), slot_joints(sets * 4, 0.0);
    for (std::size_t i = 0; i < influences.size() && i < slot_weights.size(); ++i) {
      slot_weights[i] = influences[i].weight;
      slot_joints[i] = influences[i].joint;
    }
    const std::vector<double> exact = slot_weights;
    if (integer) quantise(slot_weights, steps);
    for (std::size_t i = 0; i < slot_weights.size(); ++i) {
      if (exact[i] > 0.0 && slot_weights[i] <= 0.0) slot_joints[i] = 0.0;  // rounded away
      joints[i / 4].push_back(slot_joints[i]);
      weights[i / 4].push_back(slot_weights[i]);
    }
  }
  for (std::size_t s = 0; s < sets; ++s)
    packed.sets.push_back({pack(joints[s], options.joint_type, 4),
                           pack(weights[s], options.weight_type, 4, integer)});
  return packed;
}

std::vector<int> topological_order(const Rig& rig) {
  const std::size_t n = rig.nodes.size();
  std::vector<std::vector<int>> children(n);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < n; ++i) {
    const int parent = rig.nodes[i].parent;
    if (parent >= 0 && static_cast<std::size_t>(parent) < n)
      children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(i));
    else
      ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int child : children[static_cast<std::size_t>(next)]) ready.push(child);
  }
  if (order.size() != n) throw std::logic_error("rig: cycle in the node graph");
  return order;
}

std::vector<std::vector<int>> scenes_of(const Rig& rig) {
  if (!rig.scenes.empty()) return rig.scenes;
  std::vector<int> roots;
  for (std::size_t i = 0; i < rig.nodes.size(); ++i)
    if (rig.nodes[i].parent < 0) roots.push_back(static_cast<int>(i));
  return {roots};
}

}  // namespace skinlint::test
