#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Largest element by which a linear part differs from rotation * scale, over the longest column.
/// Columns without length may point anywhere, so a flattened matrix is rebuilt from those it has.
double rebuild_error(const Mat3& m) {
  const Vec3 length = m.colwise().norm();
  const double longest = length.maxCoeff();
  if (!(longest > 0.0)) return 0.0;
  Mat3 axes = Mat3::Zero();
  int flat = 0, flat_axis = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (length[axis] > 1e-12 * longest) {
      axes.col(axis) = m.col(axis) / length[axis];
    } else {
      ++flat;
      flat_axis = axis;
    }
  }
  if (flat > 1) return 0.0;
  if (flat == 1) {
    const Vec3 normal = axes.col((flat_axis + 1) % 3).cross(axes.col((flat_axis + 2) % 3));
    if (!(normal.norm() > 1e-12)) return 1.0;  // two axes fall together
    axes.col(flat_axis) = normal.normalized();
  }
  // The nearest orthogonal matrix; a mirror goes into the scale, as TRS allows.
  const Eigen::JacobiSVD<Mat3> svd(axes, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Mat3 orthogonal = svd.matrixU() * svd.matrixV().transpose();
  return (orthogonal * length.asDiagonal() - m).cwiseAbs().maxCoeff() / longest;
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  const double limit = input.param("tolerance");
  for (std::size_t n = 0; n < input.asset.nodes.size(); ++n) {
    const LocalTransform& local = input.asset.nodes[n].local;
    if (!local.has_matrix || !local.matrix.allFinite()) continue;
    const double bottom = bottom_row_error(local.matrix);
    const double shear = rebuild_error(linear(local.matrix));
    const double worst = std::max(bottom, shear);
    const auto index = static_cast<std::int32_t>(n);
    const ElementRef element{ElementKind::node, index, 0};
    if (!(worst > limit) || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::error);
    finding.measured = {real("rebuild_error", shear), real("bottom_row_error", bottom)};
    finding.message = fmt::format(
        "{}'s matrix is no translation, rotation and scale: {} {:.3g}",
        input.asset.node_name(index),
        shear >= bottom ? "rebuilt from them it is off by" : "its last row is off 0 0 0 1 by",
        worst);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"tolerance", 1e-4, 1e-7, 1.0, "of the longest axis",
     "largest element by which the rebuilt matrix may differ",
     "float32 matrices measure below 1e-6; a shear of 1e-4 is invisible"}};
constexpr std::string_view not_a_fault_when[] = {
    "an inverse bind matrix is sheared: the format allows any affine matrix there"};

}  // namespace

const Rule transform_not_trs = {
    {.id = "transform-not-trs",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A node's matrix cannot be split into translation, rotation and scale",
     .why = "The format demands that it can; engines split it on import and show something else "
            "than the file says.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "A part is slanted in one viewer and straight in another; strict "
                           "importers refuse the file.",
                .action =
                    "Remove uneven scale above rotated nodes, or bake the shear into the mesh, "
                    "and export translation, rotation and scale.",
                .maya = "Modify > Freeze Transformations; Channel Box: Shear XY, XZ, YZ to 0.",
                .max = "Utilities > Reset XForm and collapse on the object and its parent.",
                .blender = "Object > Apply > Scale on the parent, then on the node."},
     .source = "glTF 2.0 section 3.5.3 (a node's matrix must be decomposable to TRS)",
     .params = params},
    check};

}  // namespace skinlint::rules
