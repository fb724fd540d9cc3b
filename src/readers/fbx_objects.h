#pragma once
// The FBX object graph: objects and who is connected to whom, for files that connect by id (7.x),
// by name (6.x) and by nesting (older). What names nothing is kept as evidence.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "readers/fbx_properties.h"
#include "readers/fbx_records.h"

namespace skinlint::fbx {

enum class ObjectClass : std::uint8_t {
  other,
  model,
  geometry,
  node_attribute,
  skin,
  cluster,
  blend_shape,
  blend_channel,
  pose,
  stack,
  layer,
  curve_node,
  curve,
};

struct Object {
  std::int64_t id = 0;  // the file's; 6.x and older: position among the objects, from 1
  std::string_view raw_name, name, subclass;
  ObjectClass type = ObjectClass::other;
  Record record;
};

/// Nodes are rich; a file of empty models would otherwise take a hundred times its size.
constexpr std::size_t kMaxModels = 250'000;

constexpr std::int32_t kRoot = -1;     // the scene itself
constexpr std::int32_t kNothing = -2;  // an id or name that is not in the file
constexpr std::int32_t kOther = -3;    // an object of a class that a rig does not need

/// `source` belongs to `destination`; both are object positions, kRoot, kNothing or kOther.
struct Connection {
  std::int32_t source = kNothing, destination = kNothing;
  std::string_view property;  // of the destination; empty for object-object
  std::uint64_t offset = 0;
};

class ObjectGraph {
 public:
  explicit ObjectGraph(const Records& records);

  const std::vector<Object>& objects() const { return objects_; }
  /// Connections whose destination (source) is the object, in file order.
  std::span<const Connection> into(std::int32_t object) const;
  std::vector<Connection> out_of(std::int32_t object) const;
  const std::vector<Connection>& connections() const { return connections_; }
  /// Position of an object by the value that names it (an id or a raw name).
  std::int32_t find(const Value& value) const;
  /// Position of a model by its name without class; kNothing when there is none.
  std::int32_t find_model(std::string_view name) const;
  /// First record named "Takes" (6.x and older animation); empty name when absent.
  const Record& takes() const { return takes_; }
  const GlobalSettings& settings() const { return settings_; }
  const FbxTransform& model_defaults() const { return model_defaults_; }
  std::string_view creator() const { return creator_; }
  bool by_name() const { return by_name_; }
  std::size_t model_count() const { return model_count_; }
  bool has_connections() const { return has_connections_; }
  /// "Model 1234 "hips"" of the object that contains a file offset; empty outside objects.
  std::string describe_at(std::uint64_t offset) const;
  std::string describe(std::int32_t object) const;
  /// Object that contains a file offset, or kNothing.
  std::int32_t object_at(std::uint64_t offset) const;

  // Evidence of what did not fit together.
  std::uint64_t dangling_connections = 0, first_dangling_offset = 0;
  bool dangling_between_skin_objects = false;
  std::vector<std::int32_t> duplicates;  // objects whose id or name an earlier one has

 private:
  void read_objects(const Record& record);
  void read_connections(const Record& record);
  void read_definitions(const Record& record);
  void add_object(const Record& record);
  void connect_legacy_models();
  void index();
  const Records& records_;
  std::vector<Object> objects_;
  std::unordered_map<std::int64_t, std::int32_t> by_id_;
  std::unordered_map<std::string_view, std::int32_t> by_raw_name_;
  std::unordered_map<std::string_view, std::int32_t> by_model_name_;
  std::vector<Connection> connections_;  // sorted by destination, stable
  std::vector<std::uint32_t> by_source_;
  Record takes_;
  GlobalSettings settings_;
  FbxTransform model_defaults_;
  std::string_view creator_;
  bool by_name_ = false, has_connections_ = false;
  std::size_t model_count_ = 0;
};

/// Connection's class of an object record, from its record name and subclass.
ObjectClass object_class(std::string_view record_name, std::string_view subclass);

}  // namespace skinlint::fbx
