#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/skinned_meshes.h"
#include "rules/stream_scan.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

struct Tally {
  explicit Tally(std::size_t max_samples) : samples(max_samples) {}
  std::uint64_t non_finite = 0, sign = 0, off_unit = 0;
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;
  WorstSamples samples;
  std::uint64_t count() const { return non_finite + sign + off_unit; }

  /// Each tangent counts once, by the worst that is wrong with it.
  void add(std::size_t vertex, const Vec4& tangent) {
    const auto index = static_cast<std::int64_t>(vertex);
    const double length = tangent.head<3>().stableNorm();
    if (!tangent.allFinite()) {
      ++non_finite;
      samples.add(std::nan(""), index, std::nan(""));
    } else if (std::abs(tangent[3]) != 1.0) {
      ++sign;
      samples.add(1e3 + std::abs(tangent[3]), index, tangent[3], "w");
    } else {
      ++off_unit;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      samples.add(std::min(std::abs(length - 1.0), 1e3), index, length, "length");
    }
  }
};

using Seen = std::set<const std::byte*>;

/// `seen`: any number of parts may share one stream, which is one fault.
void check_part(const RuleInput& input, Sink& sink, std::size_t mesh, std::size_t part,
                Seen& seen) {
  const Stream& tangents = input.asset.meshes[mesh].parts[part].tangents;
  if (tangents.data == nullptr || !seen.insert(tangents.data).second) return;
  Tally tally(input.max_samples);
  const std::vector<bool>* used = nullptr;
  scan_directions(tangents, input.param("unit_length"), [&](std::size_t vertex, const Vec4& t) {
    if (used == nullptr) used = &input.facts.used_vertices(mesh, part);
    if (vertex < used->size() && !(*used)[vertex] && t.allFinite()) return;
    tally.add(vertex, t);
  });
  if (tally.count() == 0) return;
  const ElementRef element{ElementKind::part, static_cast<std::int32_t>(mesh),
                           static_cast<std::int32_t>(part)};
  if (sink.skip(element)) return;
  const bool is_error = tally.non_finite + tally.sign > 0;
  Finding finding = finding_about(input, element, is_error ? Severity::error : Severity::warning);
  finding.poisons_element = false;
  finding.count = tally.count();
  finding.measured = {whole("non_finite", tally.non_finite), whole("wrong_sign", tally.sign),
                      whole("off_unit", tally.off_unit), whole("tangents", tangents.count)};
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (tally.non_finite > 0) {
    add(counted(tally.non_finite, "tangent is NaN or infinite", "tangents are NaN or infinite"));
  }
  if (tally.sign > 0) {
    add(counted(tally.sign, "tangent has a w that is neither 1 nor -1",
                "tangents have a w that is neither 1 nor -1"));
  }
  if (tally.off_unit > 0) {
    finding.measured.push_back(real("shortest", tally.shortest));
    finding.measured.push_back(real("longest", tally.longest));
    add(fmt::format("{} of unit length ({:.3g} to {:.3g})",
                    counted(tally.off_unit, "tangent is not", "tangents are not"), tally.shortest,
                    tally.longest));
  }
  finding.samples = tally.samples.take();
  finding.sample_of = "vertex";
  finding.message = text + fmt::format(" of {}", tangents.count);
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  Seen seen;
  for (const SkinnedMesh& skinned : skinned_meshes(input.asset)) {
    for (std::size_t p = 0; p < input.asset.meshes[skinned.mesh].parts.size(); ++p) {
      check_part(input, sink, skinned.mesh, p, seen);
    }
  }
}

constexpr ParamInfo params[] = {{"unit_length", 0.00674, 1e-7, 0.9, "",
                                 "how far the length of a tangent may be from 1",
                                 "the Khronos glTF validator's limit for three components: half a "
                                 "step of a signed byte on every axis"}};
constexpr std::string_view not_a_fault_when[] = {
    "the length is off by rounding or by quantisation to bytes: inside the limit",
    "no polygon uses the vertex", "the mesh has no tangents: engines compute them",
    "FBX: importers compute tangents anew by default, so they are not read"};

}  // namespace

const Rule mesh_tangents = {
    {.id = "mesh-tangents",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::part,
     .summary =
         "Tangents of a skinned mesh are NaN, not of unit length, or have a w other than 1 or "
         "-1",
     .why = "Normal maps are read along tangent, bitangent and normal; w says which way the "
            "bitangent points, and any other value scales or flattens it.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Normal maps look flat, inside out or noisy on parts of the skinned mesh, "
                    "with seams between them.",
                .action = "Export without tangents, so that the engine computes them, or compute "
                          "them again from UVs without overlaps.",
                .maya =
                    "glTF or FBX export: Tangents and Binormals off; Mesh Display > Set to Face, "
                    "then Soften Edge before exporting them.",
                .max = "FBX export > Geometry > Tangents and Binormals off.",
                .blender = "glTF export > Data > Mesh > Tangents off; unwrap faces that have no UV "
                           "area before turning it on."},
     .source = "glTF 2.0 section 3.7.2.1 (TANGENT: a unit vector, w is 1 or -1)",
     .params = params},
    check};

}  // namespace skinlint::rules
