#pragma once
// A rig as the FBX reader would deliver it: influences in lists by vertex, one cluster per joint.

#include "support/rig.h"

namespace skinlint::test {

/// Every stored influence, zero weights included, is a cluster entry; influences keep the rig's
/// order. TransformLink is the joint's world at rest and Transform its inverse bind matrix. One
/// bind pose holds every node as it rests; nodes have an FbxTransform unless the rig gives a
/// matrix.
Asset to_fbx_asset(const Rig& rig, LinkMode mode = LinkMode::normalize);

}  // namespace skinlint::test
