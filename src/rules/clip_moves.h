#pragma once
// Does a channel do anything? Exporters bake channels for every node, most of which only repeat the
// rest transform.

#include "model/asset.h"

namespace skinlint::rules {

/// glTF: the channel takes its node's translation, rotation or scale away from rest at some key
/// (by 1e-5 of its length and 1e-6, by 0.01 degrees, by 1e-5). True for what cannot be compared (a
/// node with a matrix); false for other paths, unreadable streams and keys that are not finite.
bool leaves_rest(const Asset& asset, const Channel& channel);

}  // namespace skinlint::rules
