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

constexpr double no_length = 1e-6;

struct Tally {
  explicit Tally(std::size_t max_samples) : samples(max_samples) {}
  std::uint64_t non_finite = 0, zero = 0, off_unit = 0, total = 0;
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;
  WorstSamples samples;
  std::string_view sample_of = "vertex";

  std::uint64_t count() const { return non_finite + zero + off_unit; }
  /// `used`: something is shaded by it.
  void add(std::size_t element, const Vec3& normal, bool used) {
    const auto index = static_cast<std::int64_t>(element);
    if (!normal.allFinite()) {  // harms importers even where nothing is shaded by it
      ++non_finite;
      return samples.add(std::nan(""), index, std::nan(""));
    }
    if (!used) return;
    const double length = normal.stableNorm();
    ++(length <= no_length ? zero : off_unit);
    if (length > no_length) {
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    samples.add(std::abs(length - 1.0), index, length);
  }
};

void judge_vertices(const RuleInput& input, std::size_t mesh, std::size_t part, Tally& tally) {
  const Stream& normals = input.asset.meshes[mesh].parts[part].normals;
  const std::vector<bool>* used = nullptr;
  scan_directions(normals, input.param("unit_length"), [&](std::size_t vertex, const Vec4& n) {
    if (used == nullptr) used = &input.facts.used_vertices(mesh, part);
    tally.add(vertex, n.head<3>(), vertex >= used->size() || (*used)[vertex]);
  });
  tally.total = normals.count;
}

/// Which of the listed normals some index refers to.
std::vector<bool> referenced(const ListedNormals& listed) {
  std::vector<bool> out(listed.values.count, !listed.indices.readable());
  if (!listed.indices.declared() || !listed.indices.readable()) return out;
  std::vector<std::uint32_t> block(1024);
  for (std::size_t first = 0; first < listed.indices.count; first += block.size()) {
    const std::size_t n = std::min(block.size(), listed.indices.count - first);
    read_indices(listed.indices, first, n, block.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (block[i] < out.size()) out[block[i]] = true;
    }
  }
  return out;
}

void judge_listed(const RuleInput& input, const ListedNormals& listed, Tally& tally) {
  std::vector<bool> used;
  scan_directions(listed.values, input.param("unit_length"), [&](std::size_t at, const Vec4& n) {
    if (listed.indices.declared() && used.empty()) used = referenced(listed);
    tally.add(at, n.head<3>(), !listed.indices.declared() || used[at]);
  });
  tally.total = listed.values.count;
  if (listed.per == ListedNormals::Per::corner && !listed.indices.declared())
    tally.sample_of = "corner";
  else if (listed.per == ListedNormals::Per::polygon && !listed.indices.declared())
    tally.sample_of = "polygon";
  else
    tally.sample_of = "normal";
}

std::string describe(const Tally& tally) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (tally.non_finite > 0) {
    add(counted(tally.non_finite, "normal is NaN or infinite", "normals are NaN or infinite"));
  }
  if (tally.zero > 0) add(counted(tally.zero, "normal has no length", "normals have no length"));
  if (tally.off_unit > 0) {
    add(fmt::format("{} of unit length ({:.3g} to {:.3g})",
                    counted(tally.off_unit, "normal is not", "normals are not"), tally.shortest,
                    tally.longest));
  }
  return text + fmt::format(" of {}", tally.total);
}

using Seen = std::set<const std::byte*>;

/// `seen`: any number of parts may share one stream, which is one fault.
void check_part(const RuleInput& input, Sink& sink, std::size_t mesh, std::size_t part,
                Seen& seen) {
  const MeshPart& stored = input.asset.meshes[mesh].parts[part];
  const Stream& stream = stored.normals.declared() ? stored.normals : stored.listed_normals.values;
  if (stream.data == nullptr || !seen.insert(stream.data).second) return;
  Tally tally(input.max_samples);
  if (stored.normals.declared()) {
    judge_vertices(input, mesh, part, tally);
  } else {
    judge_listed(input, stored.listed_normals, tally);
  }
  if (tally.count() == 0) return;
  const ElementRef element{ElementKind::part, static_cast<std::int32_t>(mesh),
                           static_cast<std::int32_t>(part)};
  if (sink.skip(element)) return;
  Finding finding =
      finding_about(input, element, tally.non_finite > 0 ? Severity::error : Severity::warning);
  finding.poisons_element = false;
  finding.count = tally.count();
  finding.measured = {whole("non_finite", tally.non_finite), whole("zero_length", tally.zero),
                      whole("off_unit", tally.off_unit), whole("normals", tally.total)};
  if (tally.off_unit > 0) {
    finding.measured.push_back(real("shortest", tally.shortest));
    finding.measured.push_back(real("longest", tally.longest));
  }
  finding.samples = tally.samples.take();
  finding.sample_of = tally.sample_of;
  finding.message = describe(tally);
  sink.report(std::move(finding));
}

void check_shapes(const RuleInput& input, Sink& sink, std::size_t mesh) {
  const Mesh& stored = input.asset.meshes[mesh];
  Finding finding =
      finding_about(input, {ElementKind::mesh, static_cast<std::int32_t>(mesh), 0}, Severity::note);
  finding.count = 0;
  for (std::size_t t = 0; t < stored.morphs.size(); ++t) {
    const auto& shapes = stored.morphs[t].shapes;
    const bool zero = std::any_of(shapes.begin(), shapes.end(), [](const MorphTarget::Shape& s) {
      return s.normals == MorphTarget::Shape::Normals::zero;
    });
    if (!zero) continue;
    ++finding.count;
    if (finding.samples.size() < input.max_samples)
      finding.samples.push_back({static_cast<std::int64_t>(t), 0.0, stored.morphs[t].name});
  }
  if (finding.count == 0 || sink.skip(finding.element)) return;
  finding.measured = {whole("shapes_with_zero_normals", finding.count)};
  finding.sample_of = "shape";
  finding.sample_unit = "none";
  finding.message =
      fmt::format("{} zero normal offsets only: the shading does not follow the shape",
                  counted(finding.count, "shape stores", "shapes store"));
  finding.remedy = Remedy{
      .symptom = "Wrinkles and lids of a shape catch the light as if the face had not moved.",
      .action =
          "Leave the normals of shapes out, so that the engine computes them, or export "
          "real ones.",
      .maya = "FBX export > Geometry > Smoothing Groups on; import with normals calculated.",
      .max = "FBX export > Geometry: Preserve Edge Orientation off, normals recomputed on import.",
      .blender =
          "glTF export > Data > Shape Keys > Shape Key Normals on; in the engine's FBX "
          "import set blend shape normals to Calculate."};
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  Seen seen;
  for (const SkinnedMesh& skinned : skinned_meshes(input.asset)) {
    for (std::size_t p = 0; p < input.asset.meshes[skinned.mesh].parts.size(); ++p) {
      check_part(input, sink, skinned.mesh, p, seen);
    }
    check_shapes(input, sink, skinned.mesh);
  }
}

constexpr ParamInfo params[] = {{"unit_length", 0.00674, 1e-7, 0.9, "",
                                 "how far the length of a normal may be from 1",
                                 "the Khronos glTF validator's limit for three components: half a "
                                 "step of a signed byte on every axis"}};
constexpr std::string_view not_a_fault_when[] = {
    "the length is off by rounding or by quantisation to bytes: inside the limit",
    "no polygon uses the vertex, or no index refers to the listed normal",
    "the mesh has no normals: engines compute them", "the mesh has no skin: it is not judged",
    "all normals of a shape are zero: some exporters write them so (a note)"};

}  // namespace

const Rule mesh_normals = {
    {.id = "mesh-normals",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::part,
     .summary = "Normals of a skinned mesh are NaN, have no length or are not of unit length",
     .why = "Skinning turns normals with the joints; what had no direction or length before has "
            "none after, and lighting by it is black, too bright or flickers.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Black, white or flickering spots on the surface, or shading that is too "
                    "dark or too bright all over.",
                .action = "Recompute the normals; remove faces without area, whose normals have no "
                          "direction.",
                .maya = "Mesh > Cleanup (faces with zero area), then Mesh Display > Unlock Normals "
                        "and Soften/Harden Edges.",
                .max = "Edit Normals modifier: select all, Reset; or collapse and add Smooth below "
                       "Skin.",
                .blender =
                    "Edit mode: Mesh > Clean Up > Degenerate Dissolve; Object Data > Geometry "
                    "Data > Clear Custom Split Normals Data."},
     .source = "glTF 2.0 section 3.7.2.1 (normals are unit vectors); FBX LayerElementNormal",
     .params = params},
    check};

}  // namespace skinlint::rules
