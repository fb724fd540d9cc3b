#include "rules/cause_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace skinlint {
namespace {

struct CauseText {
  CauseId id;
  std::string_view text;  // {} takes the detail
  Remedy remedy;
};

constexpr CauseText texts[] = {
    {CauseId::matrix_transposed,
     "the inverse bind matrices are stored transposed: rows were written where the format wants "
     "columns",
     {"The mesh is torn into spikes or collapses to a point as soon as it is skinned.",
      "Fix the exporter: write the matrices column by column. The scene itself is not at fault.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with the built-in exporter; nothing to mend in the scene."}},
    {CauseId::matrix_not_inverted,
     "the bind matrices are stored as they are instead of inverted",
     {"The mesh explodes: vertices fly away from their joints, twice as far as they should lie.",
      "Fix the exporter: store the inverse of each joint's bind matrix. The scene itself is not at "
      "fault.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with the built-in exporter; nothing to mend in the scene."}},
    {CauseId::matrix_from_local,
     "the bind matrices were built from each joint's local transform instead of its world "
     "transform",
     {"The further a joint is from the root, the further its vertices are off.",
      "Fix the exporter: invert the joint's world matrix at bind, not its local one.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with an up-to-date exporter; nothing to mend in the scene.",
      "Export again with the built-in exporter; nothing to mend in the scene."}},
    {CauseId::joint_order,
     "the bind matrices are the right ones in the wrong order{}",
     {"Parts of the mesh jump to other joints: an arm hangs where a leg should be.",
      "Fix the tool that reordered or merged joints: matrices must follow the order of the joint "
      "list.",
      "Rename nothing between bind and export; export again.",
      "Rename nothing between skinning and export; export again.",
      "Remove scripts that sort vertex groups or bones after export; export again."}},
    {CauseId::mesh_transform_missing,
     "the transform of mesh node {} was left out of the bind",
     {"The mesh stands or is sized differently from its skeleton and swings in wide arcs when "
      "joints turn.",
      "Apply the mesh's transform, then bind again.",
      "Modify > Freeze Transformations on the mesh, then Skin > Bind Skin.",
      "Utilities > Reset XForm on the mesh, collapse the stack, add Skin again.",
      "Object > Apply > All Transforms on the mesh, then parent with Armature Deform."}},
    {CauseId::mesh_transform_twice,
     "the transform of mesh node {} is in the bind twice",
     {"The mesh stands or is sized differently from its skeleton and swings in wide arcs when "
      "joints turn.",
      "Apply the mesh's transform, then bind again.",
      "Modify > Freeze Transformations on the mesh, then Skin > Bind Skin.",
      "Utilities > Reset XForm on the mesh, collapse the stack, add Skin again.",
      "Object > Apply > All Transforms on the mesh, then parent with Armature Deform."}},
    {CauseId::mesh_transform_inverse,
     "the inverse of mesh node {}'s transform is in the bind instead of the transform",
     {"The mesh stands or is sized differently from its skeleton and swings in wide arcs when "
      "joints turn.",
      "Apply the mesh's transform, then bind again.",
      "Modify > Freeze Transformations on the mesh, then Skin > Bind Skin.",
      "Utilities > Reset XForm on the mesh, collapse the stack, add Skin again.",
      "Object > Apply > All Transforms on the mesh, then parent with Armature Deform."}},
    {CauseId::axis_skeleton_only,
     "an axis conversion ({}) reached the skeleton but not the mesh and its bind",
     {"The character lies on its back or folds up while the mesh alone looks right.",
      "Export again with one axis setting for all; do not turn the skeleton by hand.",
      "FBX export: Up Axis as in the scene; remove turns on the skeleton's root.",
      "FBX export: Up Axis as in the scene; keep the skeleton's root unrotated.",
      "Apply the armature's rotation (Object > Apply > Rotation) before parenting; leave Apply "
      "Transform off in the exporter."}},
    {CauseId::axis_mesh_only,
     "an axis conversion ({}) reached the mesh and its bind but not the skeleton",
     {"The mesh lies on its back against its skeleton, or folds up when it is skinned.",
      "Apply the turn to mesh and skeleton together, bind again, export with one axis setting.",
      "Modify > Freeze Transformations on the mesh, Skin > Bind Skin, export with the scene's Up "
      "Axis.",
      "Utilities > Reset XForm, add Skin again, export with the scene's Up Axis.",
      "Object > Apply > Rotation on mesh and armature together, parent again."}},
    {CauseId::unit_skeleton_only,
     "a unit conversion ({}) reached the skeleton but not the mesh and its bind",
     {"The mesh is pulled apart towards joints that stand far too far out, or shrinks to a knot.",
      "Use one unit for the whole scene and export again; do not scale the skeleton alone.",
      "Windows > Settings/Preferences > Preferences > Settings: one working unit; bind after any "
      "scaling.",
      "Customize > Units Setup > System Unit Setup: one unit; rescale with Utilities > Rescale "
      "World Units.",
      "Apply scale (Object > Apply > Scale) on armature and mesh together before parenting."}},
    {CauseId::unit_mesh_only,
     "a unit conversion ({}) reached the vertices but not the skeleton",
     {"The mesh is many times too large or too small for its skeleton.",
      "Scale mesh and skeleton together, bind again, export with one unit.",
      "Modify > Freeze Transformations on the mesh, scale it to the skeleton, Skin > Bind Skin.",
      "Utilities > Rescale World Units for the whole scene, add Skin again.",
      "Object > Apply > Scale on mesh and armature together, parent again."}},
    {CauseId::scale_inherited,
     "the bind was made without inheriting a joint's scale (segment scale compensation), and the "
     "file inherits it",
     {"Everything below a scaled joint is swollen or shrunk.",
      "Take the scale off the joint, or bake the rig without segment scale compensation, and bind "
      "again.",
      "Turn Segment Scale Compensate off on the joints below, or freeze the joint's scale; bind "
      "again.",
      "Reset the bone's scale; use Stretch off in Bone Tools.",
      "Set Inherit Scale to Full on the child bones, or apply the bone's scale; bind again."}},
    {CauseId::mesh_moved,
     "mesh node {} was moved after binding; the bones still agree with one another",
     {"Engines that use the mesh node show the mesh displaced; others show it where it was bound.",
      "Put the mesh node back where it was bound, or bind again.",
      "Skin > Go to Bind Pose, zero the mesh's channels; or Skin > Unbind Skin, Bind Skin.",
      "Put the mesh back, or Skin > Always Deform off and on.",
      "Clear the mesh object's transform (Alt+G, Alt+R, Alt+S) or apply it, then parent again."}},
    {CauseId::mirrored_joint,
     "a joint was mirrored by a negative scale after binding, and everything below it with it",
     {"One limb is turned inside out: normals point inwards, the surface looks black or "
      "see-through.",
      "Mirror the joints by orientation, not by scale, and bind again.",
      "Skeleton > Mirror Joints (Mirror function: Behavior); set the scale back to 1.",
      "Bone Tools > Mirror; Utilities > Reset Scale on the bones.",
      "Armature > Symmetrize in Edit Mode; apply the scale of the bone in Pose Mode (Alt+S)."}},
    {CauseId::dequantisation,
     "the matrices undo the quantisation of the positions: harmless",
     {"None: this is how quantised meshes are stored.", "Nothing to do.", "Nothing to do.",
      "Nothing to do.", "Nothing to do."}},
    {CauseId::saved_at_clip_key,
     "the rest pose is a frame of clip \"{}\": the scene was saved or exported at that frame",
     {"Without an animation the character stands in that frame instead of the bind pose.",
      "Export from the bind pose (often a frame before the first), or ignore this where clips "
      "always play.",
      "Skin > Go to Bind Pose, or go to the bind frame, before export.",
      "Go to the bind frame (Biped: Figure mode) before export.",
      "Set Armature data > Rest Position, or clear the pose (Alt+R, Alt+G, Alt+S), before "
      "export."}},
    {CauseId::one_joint_stale,
     "the bind matrices of these joints are out of date: their children agree with the skeleton, "
     "they do not",
     {"Vertices at these joints are dented or pulled to one side while everything beyond looks "
      "right.",
      "Bind again so that these joints' matrices are stored anew.",
      "Skin > Edit Influences > Move Skinned Joints leaves stale ones: Skin > Unbind Skin (keep "
      "history), Bind Skin.",
      "In Skin, remove the bone and add it again, or Always Deform off and on.",
      "Clear and redo the parenting with Armature Deform; check edit-mode changes made after "
      "binding."}},
    {CauseId::posed_after_bind,
     "these joints were posed after binding and the pose was exported as the rest pose",
     {"Without an animation the character stands in that pose.",
      "Go back to the bind pose before export; or, if the pose is the right one, bind again.",
      "Select the root: Skin > Go to Bind Pose, then export.",
      "Go to the bind frame (Biped: Figure mode), then export.",
      "Clear the pose (Alt+R, Alt+G, Alt+S in Pose Mode), or Pose > Apply > Apply Pose as Rest "
      "Pose and bind again."}},
};

const CauseText& text_of(CauseId id) {
  return *std::find_if(std::begin(texts), std::end(texts),
                       [id](const CauseText& t) { return t.id == id; });
}

std::string filled(std::string_view text, const CauseFit& fit) {
  std::string detail = fit.detail;
  if (fit.id == CauseId::joint_order && !detail.empty()) detail = ": " + detail;
  const std::size_t at = text.find("{}");
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at)) + detail + std::string(text.substr(at + 2));
}

}  // namespace

Cause describe_cause(const Asset& asset, std::size_t binding, const Diagnosis& diagnosis) {
  Cause cause;
  cause.residual_before = diagnosis.residual_before;
  cause.residual_after = diagnosis.residual_before;
  if (diagnosis.fits.empty()) {
    cause.id = "unexplained";
    cause.text = fmt::format(
        "no known mistake explains this (the joints are off by {:.2g} % of the size on average)",
        100.0 * diagnosis.residual_before);
    return cause;
  }
  const CauseFit& best = diagnosis.fits.front();
  const CauseText& text = text_of(best.id);
  cause.id = cause_name(best.id);
  cause.confidence =
      diagnosis.ambiguous ? Cause::Confidence::ambiguous : Cause::Confidence::certain;
  cause.residual_after = best.residual;
  cause.text = filled(text.text, best);
  cause.remedy = text.remedy;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  for (const std::int32_t slot : best.slots)
    cause.joints.push_back(asset.node_name(skin.joints[static_cast<std::size_t>(slot)]));
  for (std::size_t i = 1; i < diagnosis.fits.size(); ++i)
    cause.alternatives.emplace_back(cause_name(diagnosis.fits[i].id));
  if (diagnosis.ambiguous) {
    cause.text += fmt::format("; or {}: the file does not tell which",
                              filled(text_of(diagnosis.fits[1].id).text, diagnosis.fits[1]));
  }
  return cause;
}

}  // namespace skinlint
