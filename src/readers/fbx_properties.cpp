#include "readers/fbx_properties.h"

#include <algorithm>

namespace skinlint::fbx {

QualifiedName split_name(std::string_view raw) {
  const std::size_t mark = raw.find(std::string_view("\0\1", 2));
  if (mark != raw.npos) return {raw.substr(0, mark), raw.substr(mark + 2)};
  const std::size_t colons = raw.find("::");
  if (colons != raw.npos) return {raw.substr(colons + 2), raw.substr(0, colons)};
  return {raw, {}};
}

std::string display_name(std::string_view name, bool binary) {
  if (binary) return std::string(name);
  static constexpr std::string_view kQuote = "&quot;";
  // Built front to back: replacing in place would move the tail once for every quote of a long
  // name.
  std::string out;
  while (!name.empty()) {
    const std::size_t at = std::min(name.find(kQuote), name.size());
    out.append(name.substr(0, at));
    if (at == name.size()) break;
    out += '"';
    name.remove_prefix(at + kQuote.size());
  }
  return out;
}

Properties::Properties(const Records& records, const Record& object) : records_(&records) {
  Children walk = records.children(object);
  Record child;
  while (walk.next(child)) {
    if (child.name == "Properties70" || child.name == "Properties60") {
      block_ = child;
      children_ = records.children(block_);
      return;
    }
  }
}

bool Properties::next() {
  if (!children_) return false;
  Record record;
  while (children_->next(record)) {
    const std::size_t extra = record.name == "P" ? 3 : record.name == "Property" ? 2 : 0;
    if (extra == 0) continue;
    values_ = records_->values(record);
    Value v;
    if (!values_->next(v) || !v.is_text()) continue;
    name_ = v.text;
    type_ = {};
    std::size_t k = 0;
    for (; k < extra && values_->next(v); ++k) {
      if (k == 0 && v.is_text()) type_ = v.text;
    }
    if (k == extra) return true;
  }
  return false;
}

std::optional<double> Properties::number() {
  Value v;
  if (!values_->next(v)) return std::nullopt;
  return v.as_double();
}
std::optional<std::int64_t> Properties::integer() {
  Value v;
  if (!values_->next(v)) return std::nullopt;
  return v.as_int64();
}
std::optional<Vec3> Properties::vector() {
  Vec3 out;
  for (int k = 0; k < 3; ++k) {
    const std::optional<double> d = number();
    if (!d) return std::nullopt;
    out[k] = *d;
  }
  return out;
}

void read_transform(const Records& records, const Record& object, FbxTransform& out) {
  struct VectorProperty {
    std::string_view name;
    Vec3 FbxTransform::*member;
  };
  static constexpr VectorProperty kVectors[] = {
      {"Lcl Translation", &FbxTransform::translation},
      {"Lcl Rotation", &FbxTransform::rotation},
      {"Lcl Scaling", &FbxTransform::scaling},
      {"PreRotation", &FbxTransform::pre_rotation},
      {"PostRotation", &FbxTransform::post_rotation},
      {"RotationOffset", &FbxTransform::rotation_offset},
      {"RotationPivot", &FbxTransform::rotation_pivot},
      {"ScalingOffset", &FbxTransform::scaling_offset},
      {"ScalingPivot", &FbxTransform::scaling_pivot},
      {"GeometricTranslation", &FbxTransform::geometric_translation},
      {"GeometricRotation", &FbxTransform::geometric_rotation},
      {"GeometricScaling", &FbxTransform::geometric_scaling},
  };
  Properties p(records, object);
  while (p.next()) {
    const std::string_view name = p.name();
    if (name == "RotationOrder") {
      if (const auto v = p.integer()) {
        out.rotation_order = *v >= 0 && *v <= 6 ? static_cast<std::int32_t>(*v) : 0;
      }
    } else if (name == "InheritType") {
      const auto v = p.integer();
      if (v && *v >= 0 && *v <= 2) out.inherit_type = static_cast<InheritType>(*v);
    } else if (name == "RotationActive") {
      if (const auto v = p.integer()) out.rotation_active = *v != 0;
    } else if (name == "RotationSpaceForLimitOnly") {
      if (const auto v = p.integer()) out.rotation_space_for_limit_only = *v != 0;
    } else {
      for (const VectorProperty& known : kVectors) {
        if (known.name != name) continue;
        if (const auto v = p.vector()) out.*known.member = *v;
        break;
      }
    }
  }
}

namespace {

/// "Default" of a channel, or the value of its first key (Key: time, value, ...).
std::optional<double> channel_default(const Records& records, const Record& channel) {
  Record record;
  if (records.child(channel, "Default", record)) return records.value(record).as_double();
  if (records.child(channel, "Key", record)) return records.value(record, 1).as_double();
  return std::nullopt;
}

}  // namespace

bool read_transform_channels(const Records& records, const Record& object, FbxTransform& out) {
  bool found = false;
  Children walk = records.children(object);
  Record transform;
  while (walk.next(transform)) {
    if (transform.name != "Channel" || records.value(transform).text != "Transform") continue;
    Children parts = records.children(transform);
    Record part;
    while (parts.next(part)) {
      if (part.name != "Channel") continue;
      const std::string_view which = records.value(part).text;
      Vec3* target = which == "T"   ? &out.translation
                     : which == "R" ? &out.rotation
                     : which == "S" ? &out.scaling
                                    : nullptr;
      if (target == nullptr) continue;
      Children axes = records.children(part);
      Record axis;
      while (axes.next(axis)) {
        if (axis.name != "Channel") continue;
        const std::string_view letter = records.value(axis).text;
        const int k = letter == "X" ? 0 : letter == "Y" ? 1 : letter == "Z" ? 2 : -1;
        if (k < 0) continue;
        if (const auto v = channel_default(records, axis)) {
          (*target)[k] = *v;
          found = true;
        }
      }
    }
  }
  return found;
}

std::optional<double> find_number(const Records& records, const Record& object,
                                  std::string_view name) {
  Properties p(records, object);
  while (p.next()) {
    if (p.name() == name) return p.number();
  }
  return std::nullopt;
}

void read_global_settings(const Records& records, const Record& record, GlobalSettings& out) {
  Properties p(records, record);
  while (p.next()) {
    out.present = true;
    const std::string_view name = p.name();
    if (name == "UpAxis") {
      out.up = p.integer();
    } else if (name == "UpAxisSign") {
      out.up_sign = p.integer();
    } else if (name == "FrontAxis") {
      out.front = p.integer();
    } else if (name == "FrontAxisSign") {
      out.front_sign = p.integer();
    } else if (name == "CoordAxis") {
      out.coord = p.integer();
    } else if (name == "CoordAxisSign") {
      out.coord_sign = p.integer();
    } else if (name == "UnitScaleFactor") {
      out.unit_scale = p.number();
    } else if (name == "OriginalUnitScaleFactor") {
      out.original_unit_scale = p.number();
    }
  }
}

}  // namespace skinlint::fbx
