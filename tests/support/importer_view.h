#pragma once
// What an importer without any gaps would see in an asset: the clean case that rule tests break.

#include "model/importer_view.h"
#include "support/rig.h"

namespace skinlint::test {

/// Truthful, in an importer's form: FBX gets a root node, helper nodes, and a vertex for each
/// corner; weights of zero are left out. The asset is canonical; the view is in the file's space.
ImporterView view_of(const Asset& asset);

}  // namespace skinlint::test
