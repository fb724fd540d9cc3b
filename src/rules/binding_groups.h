#pragma once
// The same mesh and skin may hang on many nodes (instances). What is wrong with their weights or
// matrices is one fault, reported once, on the first of them.

#include <cstddef>
#include <vector>

#include "rules/measures.h"

namespace skinlint::rules {

struct BindingGroup {
  std::size_t first = 0;      // index into Asset::bindings, the one that findings name
  std::size_t instances = 1;  // bindings of this mesh and skin
};

/// Groups bindings by (mesh, skin), in file order of their first member.
std::vector<BindingGroup> binding_groups(const Asset& asset);

/// Groups bindings by the influences themselves, whatever the skin: weights are the mesh's. `first`
/// is the binding of the skin with the fewest joints, so that every weights-* rule judges a vertex
/// through the same binding, and an index out of range for one of the skins is seen.
std::vector<BindingGroup> influence_groups(const Asset& asset);

/// A finding about the first binding of a group; `measured` says "instances" when there are
/// several.
Finding finding_about(const RuleInput& input, const BindingGroup& group, Severity severity);

}  // namespace skinlint::rules
