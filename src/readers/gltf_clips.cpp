// glTF animations.

#include <charconv>
#include <cmath>

#include "readers/gltf_reader.h"

namespace skinlint {
namespace {

using Index = std::int32_t;

const TypeSet value_types{ComponentType::f32, ComponentType::i8, ComponentType::u8,
                          ComponentType::i16, ComponentType::u16};

struct Sampler {
  std::optional<JsonValue> input, output;
  Interpolation interpolation = Interpolation::linear;
};

std::optional<ChannelPath> path_of(std::string_view text) {
  if (text == "translation") return ChannelPath::translation;
  if (text == "rotation") return ChannelPath::rotation;
  if (text == "scale") return ChannelPath::scale;
  if (text == "weights") return ChannelPath::weights;
  if (text == "pointer") return ChannelPath::pointer;
  return std::nullopt;
}

std::uint8_t components_of(ChannelPath path) {
  switch (path) {
    case ChannelPath::translation:
    case ChannelPath::scale:
      return 3;
    case ChannelPath::rotation:
      return 4;
    case ChannelPath::weights:
    case ChannelPath::pointer:
      break;
  }
  return 1;
}

/// "/nodes/12/rotation": a node's own property in other words.
std::optional<std::pair<std::int64_t, ChannelPath>> node_property(std::string_view pointer) {
  constexpr std::string_view start = "/nodes/";
  if (pointer.substr(0, start.size()) != start) return std::nullopt;
  pointer.remove_prefix(start.size());
  std::int64_t node = 0;
  const char* end = pointer.data() + pointer.size();
  const auto [rest, code] = std::from_chars(pointer.data(), end, node);
  if (code != std::errc() || node < 0 || rest == end || *rest != '/') return std::nullopt;
  const auto path = path_of(std::string_view(rest + 1, static_cast<std::size_t>(end - rest - 1)));
  if (!path || *path == ChannelPath::pointer) return std::nullopt;
  return std::pair(node, *path);
}

class ClipReader {
 public:
  explicit ClipReader(GltfRead& read) : read_(read) {}

  void read_one(JsonValue item, std::size_t index, const Place& place) {
    clip_ = index;
    Clip& clip = read_.asset.clips[index];
    clip.id = static_cast<std::int64_t>(index);
    const JsonScope scope(read_.log, {ElementKind::clip, static_cast<Index>(index), 0});
    const auto object = scope.object(item, place, false);
    if (!object) return;
    const auto [name, channels, samplers] =
        scope.pick<3>(*object, {"name", "channels", "samplers"}, place);
    const Place name_place(place, "name");
    const Place channels_place(place, "channels");
    const Place samplers_place(place, "samplers");
    clip.name = scope.string(name, name_place).value_or("");
    read_samplers(samplers, scope, samplers_place);
    const auto list = scope.array(channels, channels_place, false);
    if (!list) return;
    std::size_t i = 0;
    for (const JsonValue channel : *list) {
      if (!read_.structure.spend(sizeof(Channel))) {
        scope.repair(Repair::Kind::limit, channels_place, "too many channels; the rest is skipped",
                     false);
        return;
      }
      const Place channel_place(channels_place, i++);
      read_channel(channel, clip, samplers_place, channel_place);
    }
  }

 private:
  void read_samplers(const std::optional<JsonValue>& value, const JsonScope& scope,
                     const Place& place) {
    samplers_.clear();
    const auto list = scope.array(value, place, false);
    if (!list) return;
    for (const JsonValue item : *list) {
      if (!read_.structure.spend(sizeof(Sampler))) return;
      const Place sampler_place(place, samplers_.size());
      Sampler& sampler = samplers_.emplace_back();
      const auto object = scope.object(item, sampler_place, false);
      if (!object) continue;
      const auto f = scope.pick<3>(*object, {"input", "output", "interpolation"}, sampler_place);
      sampler.input = f[0];
      sampler.output = f[1];
      const Place interpolation_place(sampler_place, "interpolation");
      const std::string_view kind = scope.string(f[2], interpolation_place).value_or("LINEAR");
      if (kind == "STEP") {
        sampler.interpolation = Interpolation::step;
      } else if (kind == "CUBICSPLINE") {
        sampler.interpolation = Interpolation::cubic;
      } else if (kind != "LINEAR") {
        scope.repair(
            Repair::Kind::wrong_type, interpolation_place,
            "\"" + std::string(kind.substr(0, 40)) + "\" is no interpolation; linear is assumed",
            false);
      }
    }
  }

  void read_channel(JsonValue item, Clip& clip, const Place& samplers_place, const Place& place) {
    element_ = {ElementKind::channel, static_cast<Index>(clip_),
                static_cast<Index>(clip.channels.size())};
    Channel& channel = clip.channels.emplace_back();
    const JsonScope scope(read_.log, element_);
    const auto object = scope.object(item, place, false);
    if (!object) return;
    const auto [sampler_value, target_value] = scope.pick<2>(*object, {"sampler", "target"}, place);
    const Place sampler_place(place, "sampler");
    const Place target_place(place, "target");
    if (const auto target = scope.object(target_value, target_place, false))
      read_target(*target, channel, scope, target_place);
    const std::int64_t index = scope.index(sampler_value, sampler_place, false).value_or(-1);
    if (index < 0 || static_cast<std::size_t>(index) >= samplers_.size()) {
      scope.repair(Repair::Kind::dangling_reference, sampler_place,
                   "the sampler " + std::to_string(index) + " does not exist", false);
      return;
    }
    const Place from(samplers_place, static_cast<std::size_t>(index));
    read_keys(samplers_[static_cast<std::size_t>(index)], channel, clip, scope, from);
  }

  void read_target(JsonObject target, Channel& channel, const JsonScope& scope,
                   const Place& place) const {
    const auto [node_value, path_value, extensions_value] =
        scope.pick<3>(target, {"node", "path", "extensions"}, place);
    const Place node_place(place, "node");
    const Place path_place(place, "path");
    const Place extensions_place(place, "extensions");
    const auto text = scope.string(path_value, path_place);
    const auto path = path_of(text.value_or(""));
    if (path) {
      channel.path = *path;
    } else {
      channel.path = ChannelPath::pointer;  // nothing of a node that we know
      scope.repair(Repair::Kind::wrong_type, path_place, "the target path is none that is known",
                   false);
    }
    if (node_value) {
      const std::int64_t id = scope.index(node_value, node_place, false).value_or(-1);
      channel.node = read_.node_for(id);
      if (channel.node < 0 && integer_of(*node_value)) {
        scope.repair(Repair::Kind::dangling_reference, node_place,
                     "the node " + std::to_string(id) + " does not exist", false);
      }
    }
    if (channel.path != ChannelPath::pointer) return;
    const auto extensions = scope.object(extensions_value, extensions_place, false);
    if (!extensions) return;
    constexpr std::string_view name = "KHR_animation_pointer";
    const auto [pointer_object] = scope.pick<1>(*extensions, {name}, extensions_place);
    const Place pointer_place(extensions_place, name);
    const auto holder = scope.object(pointer_object, pointer_place, false);
    if (!holder) return;
    const auto [pointer] = scope.pick<1>(*holder, {"pointer"}, pointer_place);
    channel.pointer = scope.string(pointer, pointer_place).value_or("");
    if (const auto property = node_property(channel.pointer)) {
      channel.node = read_.node_for(property->first);
      channel.path = property->second;
      if (channel.node < 0) {
        scope.repair(Repair::Kind::dangling_reference, pointer_place,
                     "the node " + std::to_string(property->first) + " does not exist", false);
      }
    }
  }

  void read_keys(const Sampler& sampler, Channel& channel, Clip& clip, const JsonScope& scope,
                 const Place& place) {
    channel.interpolation = sampler.interpolation;
    const Place input_place(place, "input");
    const Place output_place(place, "output");
    if (!sampler.input || !sampler.output) {
      scope.repair(Repair::Kind::defaulted, place, "the sampler has no input or no output", false);
      return;
    }
    Expected times;
    channel.times = read_.data.stream(*sampler.input, times, Need::other, element_, input_place);
    Expected values;
    values.components = components_of(channel.path);
    values.types = value_types;
    values.strict = channel.path != ChannelPath::pointer;  // a pointer may name any property
    channel.values =
        read_.data.stream(*sampler.output, values, Need::other, element_, output_place);
    check_length(channel, scope, output_place);
    if (channel.times.data == nullptr || channel.times.count == 0) return;
    if (channel.times.type != ComponentType::f32 || channel.times.components != 1) return;
    double last = 0;
    read_values(channel.times, channel.times.count - 1, 1, &last);
    if (std::isfinite(last) && last > clip.duration) clip.duration = last;
  }

  /// Values per key must be what the path and interpolation say; otherwise no key can be found.
  void check_length(Channel& channel, const JsonScope& scope, const Place& place) const {
    if (channel.times.data == nullptr || channel.values.data == nullptr) return;
    std::uint64_t per_key = channel.interpolation == Interpolation::cubic ? 3 : 1;
    if (channel.path == ChannelPath::pointer) return;
    if (channel.path == ChannelPath::weights) {
      if (channel.node < 0) return;
      const Index mesh = read_.asset.nodes[static_cast<std::size_t>(channel.node)].mesh;
      per_key *= mesh < 0 ? 0 : read_.asset.meshes[static_cast<std::size_t>(mesh)].morphs.size();
    }
    std::uint64_t expected = 0;
    if (!__builtin_mul_overflow(per_key, channel.times.count, &expected) &&
        expected == channel.values.count) {
      return;
    }
    scope.repair(Repair::Kind::count_mismatch, place,
                 std::to_string(channel.values.count) + " values for " +
                     std::to_string(channel.times.count) + " keys; the channel is not read",
                 false);
    channel.values.data = nullptr;
  }

  GltfRead& read_;
  std::size_t clip_ = 0;
  ElementRef element_;
  std::vector<Sampler> samplers_;
};

}  // namespace

void read_clips(GltfRead& read) {
  const std::size_t count = entries_of(read.document.animations);
  const Place top;
  const Place place(top, "animations");
  const JsonScope scope(read.log, {});
  const auto array = scope.array(read.document.animations, place, false);
  if (!array) return;
  if (!read.structure.spend(count * sizeof(Clip))) {
    scope.repair(Repair::Kind::limit, place, "too many animations; all are skipped", false);
    return;
  }
  read.asset.clips.resize(count);
  ClipReader reader(read);
  std::size_t i = 0;
  for (const JsonValue item : *array) {
    const Place clip_place(place, i);
    reader.read_one(item, i, clip_place);
    ++i;
  }
}

}  // namespace skinlint
