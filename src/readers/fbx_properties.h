#pragma once
// Typed properties of FBX objects: Properties70 (P: name, type, label, flags, values), Properties60
// (Property: name, type, flags, values), and the Transform channels of files older than 6.0.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/fbx_transform.h"
#include "readers/fbx_records.h"

namespace skinlint::fbx {

/// "Model::hips" (ASCII), "hips\0\1Model" (binary) or plain "hips", taken apart. Views into `raw`.
struct QualifiedName {
  std::string_view name, class_name;
};
QualifiedName split_name(std::string_view raw);
/// A name as a user knows it: ASCII's &quot; and &amp;quot; turned back.
std::string display_name(std::string_view name, bool binary);

/// Walks the properties of an object's Properties70 or Properties60 block.
class Properties {
 public:
  Properties(const Records& records, const Record& object);
  /// Next property; `values()` then yields what follows its name, type and flags.
  bool next();
  std::string_view name() const { return name_; }
  std::string_view type() const { return type_; }
  Values& values() { return *values_; }
  std::optional<double> number();
  std::optional<std::int64_t> integer();
  /// Three numbers; nullopt when there are fewer.
  std::optional<Vec3> vector();

 private:
  const Records* records_;
  Record block_;
  std::optional<Children> children_;
  std::optional<Values> values_;
  std::string_view name_, type_;
};

/// Overwrites what the object's properties say about its transform; the rest keeps its value, so
/// that templates and defaults can be applied first.
void read_transform(const Records& records, const Record& object, FbxTransform& out);
/// The Channel "Transform" defaults of an object older than version 6: T, R, S per axis. False when
/// it has none.
bool read_transform_channels(const Records& records, const Record& object, FbxTransform& out);
/// One number property by name.
std::optional<double> find_number(const Records& records, const Record& object,
                                  std::string_view name);

/// GlobalSettings, as far as a rig's reading depends on them.
struct GlobalSettings {
  bool present = false;
  std::optional<std::int64_t> up, up_sign, front, front_sign, coord, coord_sign;
  std::optional<double> unit_scale, original_unit_scale;
};
void read_global_settings(const Records& records, const Record& record, GlobalSettings& out);

}  // namespace skinlint::fbx
