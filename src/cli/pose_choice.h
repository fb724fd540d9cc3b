#pragma once
// What `trace` and `pose` understand alike: numbers, bindings by name, and poses by name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/asset.h"
#include "model/result.h"
#include "skinning/vertex_trace.h"

namespace skinlint::cli {

/// What an option turned out to mean, or why it means nothing.
template <class T>
using Parsed = Result<T, std::string>;

/// The whole text as a finite number.
std::optional<double> number(std::string_view text);
/// A name for messages; "(unnamed)" for none.
std::string shown(const std::string& name);
/// "mesh node" of a binding, the name users know it by.
std::string node_name(const Asset& asset, const Binding& binding);
/// Bindings that a name means: by mesh node, else by skin, else by mesh, else "#2".
std::vector<std::size_t> bindings_named(const Asset& asset, const std::string& name);

/// `rest`, `bind` or CLIP@T, T in seconds.
struct ChosenPose {
  PoseChoice choice;
  double asked = 0.0;  // the time as typed; `choice` holds it within the clip
};
Parsed<ChosenPose> choose_pose(const Asset& asset, const std::string& text);

}  // namespace skinlint::cli
