#pragma once
// The skeleton of a file as skeleton-differs-from-reference compares it.

#include "rules/facts.h"
#include "skinning/skeleton_difference.h"

namespace skinlint::rules {

/// Every joint of every skin, every bone node (FBX), and the bones' bind as the skins tell it: of
/// several skins the first whose bind of that joint can be computed. No joints where the file has
/// no skeleton. Nodes named like
/// a joint of `like` are joints, too: a glove's file need not list the whole arm in its skin.
Skeleton skeleton_of(const Facts& facts, const Skeleton* like = nullptr);

}  // namespace skinlint::rules
