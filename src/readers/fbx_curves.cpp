#include "readers/fbx_curves.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skinlint::fbx {
namespace {

// KeyAttrFlags. Source: FBX SDK documentation of FbxAnimCurveDef.
enum KeyFlag : std::uint32_t {
  flag_constant = 0x2,
  flag_linear = 0x4,
  flag_cubic = 0x8,
  flag_auto = 0x100,  // of cubic; of constant: the next key's value
  flag_tcb = 0x200,
  flag_user = 0x400,
  flag_clamp = 0x1000,
  flag_time_independent = 0x2000,
  flag_clamp_progressive = 0x4000,
  flag_weighted_right = 0x1000000,
  flag_weighted_next_left = 0x2000000,
  flag_velocity_right = 0x10000000,
  flag_velocity_next_left = 0x20000000,
};

constexpr float kThird = 1.0F / 3.0F;
constexpr float kWeightUnit = 9999.0F;  // FbxAnimCurveDef::sWEIGHT_DIVIDER

bool strictly_rising(const std::vector<std::int64_t>& times) {
  return std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) == times.end();
}

/// Cleans what cannot be searched: unequal lengths are cut, unsorted keys are sorted; both are
/// damage.
void settle(Build& b, Curve& curve, std::uint64_t offset) {
  if (curve.times.size() != curve.values.size()) {
    b.records.note_damage(offset, Repair::Kind::count_mismatch,
                          "an animation curve has " + std::to_string(curve.times.size()) +
                              " times and " + std::to_string(curve.values.size()) + " values");
    const std::size_t n = std::min(curve.times.size(), curve.values.size());
    curve.times.resize(n);
    curve.values.resize(n);
  }
  if (curve.shape_of.size() > curve.times.size()) curve.shape_of.resize(curve.times.size());
  if (strictly_rising(curve.times)) return;
  std::vector<std::size_t> order(curve.times.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return curve.times[x] < curve.times[y]; });
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::vector<std::uint32_t> shape_of;
  for (const std::size_t k : order) {
    // Of several keys at one time the last one counts.
    if (!times.empty() && times.back() == curve.times[k]) {
      times.pop_back();
      values.pop_back();
      if (!shape_of.empty()) shape_of.pop_back();
    }
    times.push_back(curve.times[k]);
    values.push_back(curve.values[k]);
    if (!curve.shape_of.empty()) shape_of.push_back(curve.shape_of[k]);
  }
  curve.times = std::move(times);
  curve.values = std::move(values);
  curve.shape_of = std::move(shape_of);
}

/// KeyAttrDataFloat in groups of four: binary files store the bits, ASCII files from 7.2 on print
/// the bits as an integer, older ASCII files print the number.
bool read_key_data(const Build& b, const Record& record, std::vector<float>& out) {
  const bool as_bits = !b.records.binary() && b.records.version() >= 7200;
  NumberArray numbers;
  if (as_bits) {
    std::vector<std::int32_t> bits;
    if (!b.records.read_int32(record, bits)) return false;
    out.resize(bits.size());
    if (!bits.empty()) std::memcpy(out.data(), bits.data(), bits.size() * sizeof(float));
    return true;
  }
  if (!b.records.read_numbers(record, ComponentType::f32, numbers)) return false;
  out.resize(numbers.count);
  if (numbers.count != 0)
    std::memcpy(out.data(), numbers.data.get(), numbers.count * sizeof(float));
  return true;
}

KeyShape shape_from(std::uint32_t flags, const float* data) {
  KeyShape shape;
  std::uint32_t weights = 0;
  std::memcpy(&weights, data + 2, sizeof weights);
  if ((flags & flag_constant) != 0) {
    shape.after =
        (flags & flag_auto) != 0 ? FbxInterpolation::constant_next : FbxInterpolation::constant;
    return shape;
  }
  if ((flags & flag_cubic) == 0) return shape;
  shape.after = FbxInterpolation::cubic;
  shape.clamp = (flags & flag_clamp) != 0;
  shape.time_independent = (flags & flag_time_independent) != 0;
  shape.progressive = (flags & flag_clamp_progressive) != 0;
  const auto number = [&](int k) { return static_cast<double>(data[k]); };
  if ((flags & flag_tcb) != 0) {
    shape.tangent = KeyShape::Tangent::tcb;
    shape.tension = number(0);
    shape.continuity = number(1);
    shape.tcb_bias = number(2);
    return shape;
  }
  shape.tangent =
      (flags & flag_user) != 0 ? KeyShape::Tangent::stored : KeyShape::Tangent::automatic;
  shape.right_slope = number(0);
  shape.next_left_slope = number(1);
  // Two of 16 bits each; 3333 is the third of an unweighted tangent.
  if ((flags & flag_weighted_right) != 0)
    shape.right_weight = static_cast<float>(weights & 0xffffU) / kWeightUnit;
  if ((flags & flag_weighted_next_left) != 0)
    shape.next_left_weight = static_cast<float>(weights >> 16U) / kWeightUnit;
  return shape;
}

/// Pre-Extrapolation { Type: ... }: a letter, or in binary files its number; C is constant.
bool extrapolates(const Build& b, const Record& curve) {
  for (const std::string_view side : {"Pre-Extrapolation", "Post-Extrapolation"}) {
    Record extrapolation, type;
    if (!b.records.child(curve, side, extrapolation) ||
        !b.records.child(extrapolation, "Type", type)) {
      continue;
    }
    const Value letter = b.records.value(type);
    const std::int64_t how =
        letter.as_int64().value_or(letter.is_text() && !letter.text.empty() ? letter.text[0] : 'C');
    if (how != 'C') return true;
  }
  return false;
}

void read_shapes(const Build& b, const Record& record, Curve& out) {
  out.extrapolates = extrapolates(b, record);
  std::vector<std::int32_t> flags, runs;
  std::vector<float> data;
  Record child;
  if (b.records.child(record, "KeyAttrFlags", child)) b.records.read_int32(child, flags);
  if (b.records.child(record, "KeyAttrRefCount", child)) b.records.read_int32(child, runs);
  if (b.records.child(record, "KeyAttrDataFloat", child)) read_key_data(b, child, data);
  if (flags.size() != runs.size() || data.size() < 4 * flags.size()) {
    out.shapes_lost = true;
    return;
  }
  const std::size_t keys = out.times.size();
  for (std::size_t k = 0; k < flags.size() && out.shape_of.size() < keys; ++k) {
    const auto flag = static_cast<std::uint32_t>(flags[k]);
    float velocity = 0.0F;
    std::memcpy(&velocity, &data[4 * k + 3], sizeof velocity);
    out.has_velocity =
        out.has_velocity ||
        ((flag & (flag_velocity_right | flag_velocity_next_left)) != 0 && velocity != 0.0F);
    out.shapes.push_back(shape_from(flag, &data[4 * k]));
    const std::size_t run =
        std::min(keys - out.shape_of.size(), static_cast<std::size_t>(std::max(0, runs[k])));
    out.shape_of.insert(out.shape_of.end(), run, static_cast<std::uint32_t>(out.shapes.size() - 1));
  }
  if (out.shape_of.size() == keys) return;
  out.shapes_lost = true;
  out.shape_of.clear();
}

/// A letter of a 6.x key: text in ASCII, a one-byte number in binary; 0 for anything else.
char key_letter(const Value& value) {
  char c = '\0';
  if (value.is_text() && !value.text.empty()) {
    c = value.text[0];
  } else if (value.kind == Value::Kind::integer && value.code == 'C') {
    c = static_cast<char>(value.i);
  }
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '\0';
}

/// Walks one 6.x key after "time, value, U": the slopes' letter and numbers, then weights and
/// perhaps velocities, each a letter that says how many numbers follow. Leaves `v` at the next key.
bool read_user_key(Values& walk, Value& v, KeyShape& shape) {
  shape.after = FbxInterpolation::cubic;
  const char kind = key_letter(v);
  bool more = walk.next(v);  // past the tangent's letter
  double numbers[3] = {0, 0, 0};
  for (std::size_t n = 0; more && key_letter(v) == '\0'; ++n) {
    if (n < 3) numbers[n] = v.as_double().value_or(0.0);
    more = walk.next(v);
  }
  if (kind == 's' || kind == 'b') {
    shape.right_slope = numbers[0];
    shape.next_left_slope = numbers[1];
  } else if (kind == 't') {
    shape.tangent = KeyShape::Tangent::tcb;
    shape.tension = numbers[0];
    shape.continuity = numbers[1];
    shape.tcb_bias = numbers[2];
  } else {
    shape.tangent = KeyShape::Tangent::automatic;
    shape.time_independent = true;
    shape.progressive = kind != 'a';
  }
  for (int part = 0; part < 2 && more; ++part) {  // weights, velocities
    const char letter = key_letter(v);
    if (letter == '\0') break;
    const int count = letter == 'a' ? 2 : letter == 'l' || letter == 'r' ? 1 : 0;
    more = walk.next(v);
    for (int k = 0; k < count && more; ++k) {
      const auto weight = static_cast<float>(v.as_double().value_or(1.0 / 3.0));
      if (part == 0) {
        (letter == 'l' || k == 1 ? shape.next_left_weight : shape.right_weight) = weight;
      }
      more = walk.next(v);
    }
  }
  return more;
}

/// Slope of a key from its neighbours. Source: measured against the FBX SDK and MotionBuilder's
/// files; ufbx documents the same rules.
struct Neighbour {
  double time = 0.0, value = 0.0;  // seconds
};

double automatic_slope(const Neighbour& p, const Neighbour& k, const Neighbour& n,
                       const KeyShape& shape, float left_weight, float right_weight, double bias) {
  const double nearer = std::min(std::abs(p.value - k.value), std::abs(n.value - k.value));
  if (shape.clamp && nearer <= 0.0) return 0.0;
  double slope = (n.value - p.value) / (n.time - p.time);
  if (!shape.time_independent) {
    const double left = (k.value - p.value) / (k.time - p.time);
    const double right = (n.value - k.value) / (n.time - k.time);
    const double part = (k.time - p.time) / (n.time - p.time);
    slope = 0.5 * slope + 0.5 * (left * (1.0 - part) + right * part);
    const double weight = std::abs(bias) / 100.0;
    if (weight > 1e-4) {
      const double target = bias > 0.0 ? right : left;
      const double towards = target - slope;
      slope += (target - slope) * weight;
      // Beyond 500 % it adds a slope that does not depend on the neighbours.
      if (weight > 5.0) {
        const double sign = (std::abs(towards) > 1e-5 ? towards : bias) > 0.0 ? 1.0 : -1.0;
        slope += (weight - 5.0) * (weight - 5.0) * sign * 40.0;
      }
    }
  }
  if (!shape.progressive) return slope;
  // No tangent may reach above or below the neighbour it points at.
  const double sign = slope >= 0.0 ? 1.0 : -1.0;
  const double left_range = static_cast<double>(left_weight) * (k.time - p.time);
  const double right_range = static_cast<double>(right_weight) * (n.time - k.time);
  const double left = left_range > 0.0 ? sign * (k.value - p.value) / left_range : 0.0;
  const double right = right_range > 0.0 ? sign * (n.value - k.value) / right_range : 0.0;
  return sign * std::max(0.0, std::min({sign * slope, left, right}));
}

/// The same of a first or last key, which has one neighbour.
double automatic_edge_slope(const Neighbour& a, const Neighbour& b, const KeyShape& shape,
                            double bias) {
  if (shape.progressive) return 0.0;
  if (shape.clamp && a.value == b.value) return 0.0;
  double slope = (b.value - a.value) / (b.time - a.time);
  const double beyond = std::abs(bias) / 100.0 - 5.0;
  if (!shape.time_independent && beyond > 0.0)
    slope += beyond * beyond * (bias > 0.0 ? 40.0 : -40.0);
  return slope;
}

/// Tension, continuity and bias after Kochanek and Bartels.
void set_tcb_slopes(FbxKey& key, const KeyShape& shape, std::optional<double> left,
                    std::optional<double> right) {
  const double factor = left && right ? 0.5 : 1.0;
  const double t = 1.0 - shape.tension, c = shape.continuity, b = shape.tcb_bias;
  const double l = left.value_or(0.0), r = right.value_or(0.0);
  key.left_slope = factor * t * ((1.0 + b) * (1.0 - c) * l + (1.0 - b) * (1.0 + c) * r);
  key.right_slope = factor * t * ((1.0 + b) * (1.0 + c) * l + (1.0 - b) * (1.0 - c) * r);
}

}  // namespace

double sample(const Curve& curve, std::int64_t time, double fallback) {
  if (curve.times.empty()) return fallback;
  const auto it = std::lower_bound(curve.times.begin(), curve.times.end(), time);
  const auto k = static_cast<std::size_t>(it - curve.times.begin());
  if (it == curve.times.end()) return curve.values.back();
  if (*it == time || k == 0) return curve.values[k];
  const double span = static_cast<double>(curve.times[k]) - static_cast<double>(curve.times[k - 1]);
  const double f = (static_cast<double>(time) - static_cast<double>(curve.times[k - 1])) / span;
  return curve.values[k - 1] + f * (curve.values[k] - curve.values[k - 1]);
}

void read_curve(Build& b, std::int32_t object, Curve& out) {
  const Record& record = b.object(object).record;
  Record child;
  if (b.records.child(record, "KeyTime", child)) b.records.read_int64(child, out.times);
  if (b.records.child(record, "KeyValueFloat", child)) b.records.read_doubles(child, out.values);
  if (b.options.clip_curves) read_shapes(b, record, out);
  settle(b, out, record.offset);
}

/// 6.x: "Key: time, value, how, ..." KeyCount times. `how` is L alone, C with an optional letter,
/// or U with a letter, numbers, and a letter for weights that says how many numbers follow it (a
/// two, l and r one, n none), perhaps the same again for velocities.
void read_take_curve(Build& b, const Record& channel, Curve& out, double& fallback) {
  Record child;
  if (b.records.child(channel, "Default", child)) {
    fallback = b.records.value(child).as_double().value_or(fallback);
  }
  if (!b.records.child(channel, "Key", child)) return;
  if (b.options.clip_curves) out.extrapolates = extrapolates(b, channel);
  std::optional<std::int64_t> declared;
  Record record;
  if (b.records.child(channel, "KeyCount", record)) declared = b.records.value(record).as_int64();
  Values walk = b.records.values(child);
  Value v;
  bool more = walk.next(v);
  while (more) {
    const std::optional<std::int64_t> time = v.as_int64();
    if (!time || !walk.next(v)) break;
    const std::optional<double> value = v.as_double();
    if (!value) break;
    out.times.push_back(*time);
    out.values.push_back(*value);
    KeyShape shape;
    more = walk.next(v);
    const char how = more ? key_letter(v) : '\0';
    if (how != '\0') more = walk.next(v);
    if (how == 'C') {
      shape.after = FbxInterpolation::constant;
      if (more && key_letter(v) != '\0') {
        if (key_letter(v) == 'n') shape.after = FbxInterpolation::constant_next;
        more = walk.next(v);
      }
    } else if (how == 'U' && more) {
      more = read_user_key(walk, v, shape);
    }
    if (b.options.clip_curves) {
      out.shape_of.push_back(static_cast<std::uint32_t>(out.shapes.size()));
      out.shapes.push_back(shape);
    }
    if (how == '\0') break;
  }
  if (declared && *declared != static_cast<std::int64_t>(out.times.size())) {
    b.records.note_damage(child.offset, Repair::Kind::count_mismatch,
                          "an animation channel declares " + std::to_string(*declared) + " keys; " +
                              std::to_string(out.times.size()) + " could be read");
  }
  settle(b, out, child.offset);
}

FbxCurve settled(const Curve& curve) {
  FbxCurve out;
  out.keys.resize(curve.times.size());
  const auto at = [&](std::size_t k) {
    return Neighbour{static_cast<double>(curve.times[k]) / kFbxTicksPerSecond, curve.values[k]};
  };
  const KeyShape linear;
  double left_slope = 0.0;  // as the key before states it
  float left_weight = kThird;
  for (std::size_t k = 0; k < out.keys.size(); ++k) {
    const KeyShape& shape = k < curve.shape_of.size() ? curve.shapes[curve.shape_of[k]] : linear;
    const bool has_left = k > 0, has_right = k + 1 < out.keys.size();
    FbxKey& key = out.keys[k];
    key.ticks = curve.times[k];
    key.value = curve.values[k];
    key.after = shape.after;
    key.left_slope = left_slope;
    key.right_slope = shape.right_slope;
    key.left_weight = left_weight;
    key.right_weight = shape.right_weight;
    left_slope = shape.next_left_slope;
    left_weight = shape.next_left_weight;
    const Neighbour here = at(k);
    const auto slope_to = [&](std::size_t other) {
      const Neighbour n = at(other);
      return (n.value - here.value) / (n.time - here.time);
    };
    if (shape.after == FbxInterpolation::cubic && shape.tangent != KeyShape::Tangent::stored) {
      if (shape.tangent == KeyShape::Tangent::tcb) {
        set_tcb_slopes(key, shape, has_left ? std::optional<double>(slope_to(k - 1)) : std::nullopt,
                       has_right ? std::optional<double>(slope_to(k + 1)) : std::nullopt);
        left_slope = 0.0;
        continue;
      }
      const double left_bias = -key.left_slope, right_bias = key.right_slope;
      if (has_left && has_right) {
        const bool both = std::abs(right_bias - left_bias) <= 1e-4;
        key.right_slope = automatic_slope(at(k - 1), here, at(k + 1), shape, key.left_weight,
                                          key.right_weight, right_bias);
        key.left_slope = both ? key.right_slope
                              : automatic_slope(at(k - 1), here, at(k + 1), shape, key.left_weight,
                                                key.right_weight, left_bias);
      } else if (has_left) {
        key.left_slope = key.right_slope = automatic_edge_slope(at(k - 1), here, shape, left_bias);
      } else if (has_right) {
        key.left_slope = key.right_slope = automatic_edge_slope(here, at(k + 1), shape, right_bias);
      }
    } else if (shape.after == FbxInterpolation::linear && has_right) {
      left_slope = slope_to(k + 1);  // what a cubic key after it sees on its left is not used
    }
  }
  return out;
}

}  // namespace skinlint::fbx
