#include "cli/pose_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/suggest.h"
#include "reports/unicode.h"
#include "skinning/bound_mesh.h"
#include "skinning/clip_pose.h"

namespace skinlint::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
const double kRadians = std::acos(-1.0) / 180.0;

/// `count` finite numbers of an array into `out`; false otherwise.
bool numbers(const Json& value, double* out, std::size_t count) {
  if (!value.is_array() || value.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!value[i].is_number()) return false;
    out[i] = value[i].get<double>();
    if (!std::isfinite(out[i])) return false;
  }
  return true;
}

std::string unknown_key(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return fmt::format("unknown key \"{}\"{}", printable(key), suggestion(key, known));
  }
  return {};
}

std::string joint_entry(const PoseMaker& maker, const Asset& asset, const Json& entry,
                        std::int32_t& node, std::vector<Mat4>& world) {
  if (!entry.is_object()) return "an entry of \"joints\" is not an object";
  if (std::string wrong = unknown_key(entry, {"joint", "node", "rotation_deg", "translation_m",
                                              "world_from_joint", "weight", "determined"});
      !wrong.empty()) {
    return wrong;
  }
  if (!entry.contains("joint") || !entry["joint"].is_string())
    return "a joint needs its name as \"joint\"";
  std::string error;
  node = maker.joint(entry["joint"].get<std::string>(), error);
  if (node < 0) return error;
  const auto n = static_cast<std::size_t>(node);
  if (entry.contains("world_from_joint")) {
    double m[16];
    if (!numbers(entry["world_from_joint"], m, 16))
      return "\"world_from_joint\" takes 16 finite numbers, row by row";
    const Mat4 target = Eigen::Map<const Mat4>(m).transpose();
    if (const std::optional<Mat4> inverse = affine_inverse(world[n]))
      move_below(asset, node, target * *inverse, world);
    return {};
  }
  Vec3 turn = Vec3::Zero(), shift = Vec3::Zero();
  if (entry.contains("rotation_deg") && !numbers(entry["rotation_deg"], turn.data(), 3))
    return "\"rotation_deg\" takes three finite numbers";
  if (entry.contains("translation_m") && !numbers(entry["translation_m"], shift.data(), 3))
    return "\"translation_m\" takes three finite numbers";
  move_below(asset, node, own_motion(world[n], turn * kRadians, shift), world);
  return {};
}

}  // namespace

PoseMaker::PoseMaker(const Facts& facts) : facts_(facts), asset_(facts.asset()) {
  std::vector<Mat4> consensus;
  for (std::size_t b = 0; b < asset_.bindings.size(); ++b) {
    const BindAnalysis& bind = facts.bind(b);
    consensus.push_back(bind.state == BindState::unknown ? Mat4(Mat4::Constant(std::nan("")))
                                                         : bind.consensus);
  }
  bind_ = bind_worlds(asset_, facts.world_from_node(), consensus);
}

AssetPose PoseMaker::named(std::string name, std::vector<Mat4> world) const {
  AssetPose pose;
  pose.name = std::move(name);
  pose.world_from_node = std::move(world);
  for (const Binding& binding : asset_.bindings) pose.morphs.push_back(binding.morph_weights);
  return pose;
}

AssetPose PoseMaker::bind() const {
  AssetPose pose = named("bind", bind_);
  for (std::vector<double>& morphs : pose.morphs) morphs.assign(morphs.size(), 0.0);
  return pose;
}

AssetPose PoseMaker::rest() const { return named("rest", facts_.world_from_node()); }

AssetPose PoseMaker::at(std::int32_t clip, double seconds) const {
  const Clip& chosen = asset_.clips[static_cast<std::size_t>(clip)];
  AssetPose pose;
  pose.name = fmt::format("{}@{:.6g}", chosen.name, seconds);
  pose.world_from_node = world_at_time(asset_, chosen, seconds);
  pose.compare = false;
  for (const Binding& binding : asset_.bindings)
    pose.morphs.push_back(morph_activations_at_time(asset_, binding, chosen, seconds));
  return pose;
}

AssetPose PoseMaker::all_turned(double degrees) const {
  AssetPose pose = named(fmt::format("all joints x{:+.0f}", degrees), bind_);
  std::vector<Mat4>& world = pose.world_from_node;
  // Parents precede children: what moves a parent carries its children on, as bound beside it.
  for (std::size_t n = 0; n < asset_.nodes.size(); ++n) {
    const std::int32_t parent = asset_.nodes[n].parent;
    if (parent >= 0) {
      const auto above = static_cast<std::size_t>(parent);
      if (const std::optional<Mat4> inverse = affine_inverse(bind_[above]))
        world[n] = world[above] * *inverse * bind_[n];
    }
    if (asset_.nodes[n].is_joint)
      world[n] = own_motion(world[n], Vec3(degrees * kRadians, 0, 0), Vec3::Zero()) * world[n];
  }
  return pose;
}

std::int32_t PoseMaker::joint(const std::string& name, std::string& error) const {
  std::int32_t found = -1;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < asset_.nodes.size(); ++n) {
    if (!asset_.nodes[n].is_joint) continue;
    const std::string mine = asset_.node_name(static_cast<std::int32_t>(n));
    names.push_back(printable(mine, 120));
    if (mine != name) continue;
    if (found >= 0) {
      error = fmt::format("several joints are named \"{}\"", printable(name));
      return -1;
    }
    found = static_cast<std::int32_t>(n);
  }
  if (found < 0)
    error = fmt::format("the file has no joint \"{}\"{}", printable(name), suggestion(name, names));
  return found;
}

AssetPose PoseMaker::turned(const std::string& text, std::string& error) const {
  const std::size_t colon = text.rfind(':');
  const std::string name = text.substr(0, colon), turn = text.substr(colon + 1);
  const bool twist = turn.rfind("twist", 0) == 0;
  const std::size_t axis = twist || turn.empty() ? 3 : std::string("xyz").find(turn[0]);
  const char* at = turn.c_str() + (twist ? 5 : 1);
  const char* const end = turn.c_str() + turn.size();
  if (at < end && *at == '+') ++at;
  double degrees = 0.0;
  const auto read = std::from_chars(at, end, degrees);
  if (axis == std::string::npos || (axis == 3 && !twist) || read.ec != std::errc() ||
      read.ptr != end || !std::isfinite(degrees)) {
    error = fmt::format("\"{}\": a turn is JOINT:x+90, JOINT:y-45, JOINT:z10 or JOINT:twist180",
                        printable(text));
    return {};
  }
  const std::int32_t node = joint(name, error);
  if (node < 0) return {};
  AssetPose pose = named(text, bind_);
  std::vector<Mat4>& world = pose.world_from_node;
  const auto n = static_cast<std::size_t>(node);
  if (!twist) {
    Vec3 angles = Vec3::Zero();
    angles[static_cast<Eigen::Index>(axis)] = degrees * kRadians;
    move_below(asset_, node, own_motion(world[n], angles, Vec3::Zero()), world);
    return pose;
  }
  for (std::size_t b = 0; b < asset_.bindings.size(); ++b) {
    const BindAnalysis& bind = facts_.bind(b);
    if (bind.state == BindState::unknown) continue;
    const BoundMesh mesh = bound_mesh(asset_, b, bind.consensus, bind.size);
    for (const BoundJoint& bone : mesh.bones) {
      if (bone.node != node || !bone.usable) continue;
      const Mat3 rotation = Eigen::AngleAxisd(degrees * kRadians, bone.along).toRotationMatrix();
      Mat4 motion = Mat4::Identity();
      motion.topLeftCorner<3, 3>() = rotation;
      motion.topRightCorner<3, 1>() = bone.origin - rotation * bone.origin;
      move_below(asset_, node, motion, world);
      return pose;
    }
  }
  error = fmt::format("no skin binds joint \"{}\"", printable(name));
  return {};
}

std::string PoseMaker::read_pose(const void* json, std::vector<AssetPose>& out) const {
  const Json& entry = *static_cast<const Json*>(json);
  if (!entry.is_object()) return "an entry of \"poses\" is not an object";
  if (std::string wrong = unknown_key(entry, {"name", "base", "joints", "morphs"});
      !wrong.empty()) {
    return wrong;
  }
  if (!entry.contains("name") || !entry["name"].is_string()) return "a pose needs a \"name\"";
  const std::string name = entry["name"].get<std::string>();
  const auto in_pose = [&](const std::string& what) {
    return fmt::format("pose \"{}\": {}", printable(name), what);
  };
  AssetPose pose = bind();
  if (entry.contains("base")) {
    const std::string base = entry["base"].is_string() ? entry["base"].get<std::string>() : "";
    if (base != "bind" && base != "rest") return in_pose("\"base\" is \"bind\" or \"rest\"");
    if (base == "rest") pose = rest();
  }
  pose.name = name;
  if (entry.contains("joints")) {
    if (!entry["joints"].is_array()) return in_pose("\"joints\" is not an array");
    // Parents first, whatever the file's order: a child turns about where its parent brought it.
    std::vector<std::pair<std::int32_t, const Json*>> order;
    std::vector<Mat4> scratch(pose.world_from_node);
    for (const Json& item : entry["joints"]) {
      std::int32_t node = -1;
      if (const std::string wrong = joint_entry(*this, asset_, item, node, scratch); !wrong.empty())
        return in_pose(wrong);
      order.emplace_back(node, &item);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [node, item] : order) {
      std::int32_t same = node;
      joint_entry(*this, asset_, *item, same, pose.world_from_node);
    }
  }
  if (entry.contains("morphs")) {
    // An object of names, or the list that --solve writes.
    const auto set = [&](const std::string& target, const Json& value) {
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        return fmt::format("morph target \"{}\" takes a finite number", printable(target));
      bool found = false;
      for (std::size_t b = 0; b < asset_.bindings.size(); ++b) {
        const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(asset_.bindings[b].mesh)];
        pose.morphs[b].resize(mesh.morphs.size(), 0.0);
        for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
          if (mesh.morphs[t].name != target) continue;
          pose.morphs[b][t] = value.get<double>();
          found = true;
        }
      }
      return found ? std::string()
                   : fmt::format("the file has no morph target \"{}\"", printable(target));
    };
    for (const auto& [key, value] : entry["morphs"].items()) {
      std::string wrong;
      if (entry["morphs"].is_object()) {
        wrong = set(key, value);
      } else if (value.is_object() && value.contains("target") && value["target"].is_string() &&
                 value.contains("activation")) {
        wrong = set(value["target"].get<std::string>(), value["activation"]);
      } else {
        wrong = "\"morphs\" maps names of targets to activations";
      }
      if (!wrong.empty()) return in_pose(wrong);
    }
  }
  out.push_back(std::move(pose));
  return {};
}

std::string PoseMaker::read_file(const std::string& path, std::vector<AssetPose>& out) const {
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) return fmt::format("cannot read {}", printable(path, 1000));
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile)
      return fmt::format("{} is larger than 64 MiB", printable(path, 1000));
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fmt::format("{} is not JSON", printable(path, 1000));
  if (!json.is_object() || !json.contains("poses") || !json["poses"].is_array())
    return fmt::format("{} holds no array \"poses\"", printable(path, 1000));
  for (const Json& entry : json["poses"]) {
    if (const std::string wrong = read_pose(&entry, out); !wrong.empty())
      return fmt::format("{}: {}", printable(path, 1000), wrong);
  }
  return {};
}

std::vector<double> key_times(const Clip& clip) {
  std::vector<double> times;
  std::vector<double> mine;
  for (const Channel& channel : clip.channels) {
    if (!channel.times.readable() || channel.times.components != 1) continue;
    mine.resize(channel.times.count);
    if (!mine.empty()) read_values(channel.times, 0, mine.size(), mine.data());
    times.insert(times.end(), mine.begin(), mine.end());
  }
  times.erase(
      std::remove_if(times.begin(), times.end(), [](double t) { return !std::isfinite(t); }),
      times.end());
  std::sort(times.begin(), times.end());
  times.erase(
      std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-6; }),
      times.end());
  return times;
}

}  // namespace skinlint::cli
