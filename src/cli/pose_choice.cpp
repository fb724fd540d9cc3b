#include "cli/pose_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/suggest.h"
#include "reports/unicode.h"
#include "skinning/clip_pose.h"

namespace skinlint::cli {

std::optional<double> number(std::string_view text) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string shown(const std::string& name) {
  return name.empty() ? "(unnamed)" : printable(name, 120);
}

std::string node_name(const Asset& asset, const Binding& binding) {
  return binding.node < 0 ? std::string()
                          : asset.nodes[static_cast<std::size_t>(binding.node)].name;
}

std::vector<std::size_t> bindings_named(const Asset& asset, const std::string& name) {
  const auto matching = [&](auto name_of) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < asset.bindings.size(); ++i) {
      if (name_of(asset.bindings[i]) == name) found.push_back(i);
    }
    return found;
  };
  std::vector<std::size_t> found = matching([&](const Binding& b) { return node_name(asset, b); });
  if (found.empty()) {
    found = matching(
        [&](const Binding& b) { return asset.skins[static_cast<std::size_t>(b.skin)].name; });
  }
  if (found.empty()) {
    found = matching(
        [&](const Binding& b) { return asset.meshes[static_cast<std::size_t>(b.mesh)].name; });
  }
  if (found.empty() && name.size() > 1 && name.front() == '#') {
    const std::optional<double> index = number(std::string_view(name).substr(1));
    if (index && *index >= 0.0 && *index < static_cast<double>(asset.bindings.size()))
      found.push_back(static_cast<std::size_t>(*index));
  }
  return found;
}

Parsed<ChosenPose> choose_pose(const Asset& asset, const std::string& text) {
  ChosenPose pose;
  if (text == "rest") return pose;
  pose.choice.kind = PoseChoice::Kind::bind;
  if (text == "bind") return pose;
  pose.choice.kind = PoseChoice::Kind::clip;
  const std::size_t at = text.rfind('@');
  const std::string name = text.substr(0, at);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    if (asset.clips[c].name == name && pose.choice.clip < 0)
      pose.choice.clip = static_cast<std::int32_t>(c);
    names.push_back(shown(asset.clips[c].name));
  }
  if (pose.choice.clip < 0) {
    if (at == std::string::npos) {
      names.emplace_back("rest");
      names.emplace_back("bind");
    }
    return fmt::format("--pose: {} \"{}\"{}",
                       at == std::string::npos ? "unknown pose" : "the file has no clip named",
                       printable(name), suggestion(name, names));
  }
  const Clip& clip = asset.clips[static_cast<std::size_t>(pose.choice.clip)];
  const std::optional<ClipSpan> span = clip_span(clip);
  if (!span) return fmt::format("--pose: the clip \"{}\" has no keys", printable(name));
  const std::optional<double> seconds =
      at == std::string::npos ? std::nullopt : number(std::string_view(text).substr(at + 1));
  if (!seconds) {
    return fmt::format(
        "--pose: \"{}\" needs a time in seconds: \"{}@{:.6g}\"; the clip runs from {:.6g} to "
        "{:.6g}",
        printable(text), printable(name), span->first, span->first, span->last);
  }
  pose.asked = *seconds;
  pose.choice.seconds = std::clamp(*seconds, span->first, span->last);
  return pose;
}

}  // namespace skinlint::cli
