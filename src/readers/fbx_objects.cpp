#include "readers/fbx_objects.h"

#include <algorithm>

namespace skinlint::fbx {

ObjectClass object_class(std::string_view record_name, std::string_view subclass) {
  if (record_name == "Model") return ObjectClass::model;
  if (record_name == "Geometry") return ObjectClass::geometry;
  if (record_name == "NodeAttribute") return ObjectClass::node_attribute;
  if (record_name == "Pose") return ObjectClass::pose;
  if (record_name == "AnimationCurve") return ObjectClass::curve;
  if (record_name == "AnimationCurveNode") return ObjectClass::curve_node;
  if (record_name == "AnimationLayer") return ObjectClass::layer;
  if (record_name == "AnimationStack") return ObjectClass::stack;
  if (record_name == "Deformer" || record_name == "SubDeformer") {
    if (subclass == "Skin") return ObjectClass::skin;
    if (subclass == "Cluster") return ObjectClass::cluster;
    if (subclass == "BlendShape") return ObjectClass::blend_shape;
    if (subclass == "BlendShapeChannel") return ObjectClass::blend_channel;
  }
  return ObjectClass::other;
}

ObjectGraph::ObjectGraph(const Records& records) : records_(records) {
  by_name_ = records.version() < 7000;
  Children walk = records.top_level();
  Record record;
  std::vector<Record> connections;
  while (walk.next(record)) {
    if (record.name == "Objects") {
      read_objects(record);
    } else if (record.name == "Connections") {
      has_connections_ = true;
      connections.push_back(record);
    } else if (record.name == "GlobalSettings") {
      read_global_settings(records, record, settings_);
    } else if (record.name == "Definitions") {
      read_definitions(record);
    } else if (record.name == "Takes" && takes_.name.empty()) {
      takes_ = record;
    } else if (record.name == "FBXHeaderExtension") {
      Record creator;
      if (creator_.empty() && records.child(record, "Creator", creator)) {
        creator_ = records.value(creator).text;
      }
    } else if (record.name == "Creator") {
      // Blender and others name themselves here and imitate the SDK in the header.
      const Value v = records.value(record);
      if (v.is_text() && creator_.empty()) creator_ = v.text;
    } else if (by_name_ && record.name == "Model") {
      add_object(record);  // older than 6.0: models stand at the top level
    }
  }
  for (const Record& r : connections) read_connections(r);
  if (by_name_ && connections.empty()) connect_legacy_models();
  index();
}

void ObjectGraph::read_definitions(const Record& record) {
  Children types = records_.children(record);
  Record type;
  while (types.next(type)) {
    if (type.name != "ObjectType" || records_.value(type).text != "Model") continue;
    Children templates = records_.children(type);
    Record candidate;
    while (templates.next(candidate)) {
      if (candidate.name == "PropertyTemplate" && records_.value(candidate).text == "FbxNode") {
        read_transform(records_, candidate, model_defaults_);
      }
    }
  }
}

void ObjectGraph::read_objects(const Record& record) {
  Children walk = records_.children(record);
  Record object;
  while (walk.next(object)) {
    if (object.name == "GlobalSettings") {
      if (!settings_.present) read_global_settings(records_, object, settings_);
      continue;
    }
    add_object(object);
  }
}

void ObjectGraph::add_object(const Record& record) {
  Values walk = records_.values(record);
  Value v;
  if (!walk.next(v)) return;
  Object object;
  object.record = record;
  object.id = static_cast<std::int64_t>(objects_.size()) + 1;
  if (!by_name_) {
    const std::optional<std::int64_t> id = v.as_int64();
    if (!id) return;
    object.id = *id;
    if (!walk.next(v)) v = {};
  }
  if (v.is_text()) object.raw_name = v.text;
  object.name = split_name(object.raw_name).name;
  if (walk.next(v) && v.is_text()) object.subclass = v.text;
  object.type = object_class(record.name, object.subclass);
  const auto position = static_cast<std::int32_t>(objects_.size());
  const std::int32_t stands_for = object.type == ObjectClass::other ? kOther : position;
  const bool is_new = by_name_ ? by_raw_name_.emplace(object.raw_name, stands_for).second
                               : by_id_.emplace(object.id, stands_for).second;
  if (object.type == ObjectClass::other) return;
  if (!is_new) duplicates.push_back(position);
  if (object.type == ObjectClass::model) {
    ++model_count_;
    by_model_name_.emplace(object.name, position);
  }
  objects_.push_back(object);
}

std::int32_t ObjectGraph::find(const Value& value) const {
  if (by_name_) {
    if (!value.is_text()) return kNothing;
    const auto it = by_raw_name_.find(value.text);
    return it == by_raw_name_.end() ? kNothing : it->second;
  }
  const std::optional<std::int64_t> id = value.as_int64();
  if (!id) return kNothing;
  const auto it = by_id_.find(*id);
  if (it != by_id_.end()) return it->second;
  return *id == 0 ? kRoot : kNothing;
}

std::int32_t ObjectGraph::find_model(std::string_view name) const {
  const auto it = by_model_name_.find(name);
  return it == by_model_name_.end() ? kNothing : it->second;
}

void ObjectGraph::read_connections(const Record& record) {
  Children walk = records_.children(record);
  Record line;
  while (walk.next(line)) {
    if (line.name != "C" && line.name != "Connect") continue;
    Values values = records_.values(line);
    Value kind, source, destination, property;
    if (!values.next(kind) || !values.next(source) || !values.next(destination)) {
      ++dangling_connections;
      if (first_dangling_offset == 0) first_dangling_offset = line.offset;
      continue;
    }
    Connection c;
    c.offset = line.offset;
    c.source = find(source);
    c.destination = find(destination);
    if (by_name_ && destination.is_text() && c.destination < 0 &&
        split_name(destination.text).name == "Scene") {
      c.destination = kRoot;
    }
    if (kind.text.size() == 2 && kind.text[1] == 'P' && values.next(property)) {
      c.property = property.text;
    }
    if (c.source == kNothing || c.destination == kNothing || c.source == kRoot) {
      ++dangling_connections;
      if (first_dangling_offset == 0) first_dangling_offset = line.offset;
      for (const std::int32_t end : {c.source, c.destination}) {
        if (end < 0) continue;
        const ObjectClass type = objects_[static_cast<std::size_t>(end)].type;
        dangling_between_skin_objects =
            dangling_between_skin_objects ||
            (c.property.empty() && (type == ObjectClass::skin || type == ObjectClass::cluster));
      }
    }
    if (c.source >= 0 && c.destination != kOther) connections_.push_back(c);
  }
}

void ObjectGraph::connect_legacy_models() {
  const std::size_t count = objects_.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (objects_[k].type != ObjectClass::model) continue;
    Record children;
    if (!records_.child(objects_[k].record, "Children", children)) continue;
    Values walk = records_.values(children);
    Value v;
    while (walk.next(v)) {
      if (!v.is_text()) continue;
      Connection c;
      c.offset = children.offset;
      c.source = find(v);
      if (c.source == kNothing) c.source = find_model(split_name(v.text).name);
      c.destination = static_cast<std::int32_t>(k);
      if (c.source >= 0) {
        connections_.push_back(c);
      } else {
        ++dangling_connections;
      }
    }
  }
}

void ObjectGraph::index() {
  std::stable_sort(
      connections_.begin(), connections_.end(),
      [](const Connection& a, const Connection& b) { return a.destination < b.destination; });
  by_source_.resize(connections_.size());
  for (std::size_t k = 0; k < by_source_.size(); ++k) by_source_[k] = static_cast<std::uint32_t>(k);
  std::stable_sort(by_source_.begin(), by_source_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Connection &x = connections_[a], &y = connections_[b];
    return x.source != y.source ? x.source < y.source : x.offset < y.offset;
  });
}

std::span<const Connection> ObjectGraph::into(std::int32_t object) const {
  const auto [first, last] = std::equal_range(
      connections_.begin(), connections_.end(), Connection{kNothing, object, {}, 0},
      [](const Connection& a, const Connection& b) { return a.destination < b.destination; });
  return {connections_.data() + (first - connections_.begin()),
          static_cast<std::size_t>(last - first)};
}

std::vector<Connection> ObjectGraph::out_of(std::int32_t object) const {
  std::vector<Connection> out;
  auto it = std::lower_bound(
      by_source_.begin(), by_source_.end(), object,
      [&](std::uint32_t k, std::int32_t wanted) { return connections_[k].source < wanted; });
  for (; it != by_source_.end() && connections_[*it].source == object; ++it) {
    out.push_back(connections_[*it]);
  }
  return out;
}

std::int32_t ObjectGraph::object_at(std::uint64_t offset) const {
  // Objects are in file order.
  const auto it = std::upper_bound(
      objects_.begin(), objects_.end(), offset,
      [](std::uint64_t at, const Object& object) { return at < object.record.offset; });
  if (it == objects_.begin()) return kNothing;
  const auto position = static_cast<std::int32_t>(it - objects_.begin()) - 1;
  return offset < objects_[static_cast<std::size_t>(position)].record.body_end ? position
                                                                               : kNothing;
}

std::string ObjectGraph::describe(std::int32_t object) const {
  if (object < 0) return {};
  const Object& o = objects_[static_cast<std::size_t>(object)];
  std::string out(o.record.name);
  if (!by_name_) out += " " + std::to_string(o.id);
  return out + " \"" + display_name(o.name, records_.binary()) + "\"";
}

std::string ObjectGraph::describe_at(std::uint64_t offset) const {
  return describe(object_at(offset));
}

}  // namespace skinlint::fbx
