#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/skinned_meshes.h"

namespace skinlint::rules {
namespace {

/// What is wrong with how a target's offsets fit the mesh; empty when they fit.
struct Misfit {
  std::string text;
  std::uint64_t offsets = 0, vertices = 0, out_of_range = 0;
};

class Topology {
 public:
  Topology(const RuleInput& input, Sink& sink) : input_(input), sink_(sink) {}

  void check(std::size_t index) {
    const Mesh& mesh = input_.asset.meshes[index];
    if (mesh.morphs.empty()) return;
    check_fit(mesh, index);
    check_names(mesh, index);
    check_empty(mesh, index);
  }

 private:
  static ElementRef target(std::size_t mesh, std::size_t t) {
    return {ElementKind::morph_target, static_cast<std::int32_t>(mesh),
            static_cast<std::int32_t>(t)};
  }

  /// Entries of an index stream beyond the mesh; each stream is walked once.
  std::uint64_t beyond(const Stream& indices, std::size_t vertices) {
    const auto [known, is_new] = beyond_.try_emplace({indices.data, vertices}, 0);
    if (!is_new || !indices.readable()) return known->second;
    std::vector<std::uint32_t> block(1024);
    for (std::size_t first = 0; first < indices.count; first += block.size()) {
      const std::size_t n = std::min(block.size(), indices.count - first);
      read_indices(indices, first, n, block.data());
      for (std::size_t i = 0; i < n; ++i)
        known->second += block[i] >= vertices ? std::uint64_t{1} : 0;
    }
    return known->second;
  }

  bool is_zero(const Stream& stream) {
    const auto [known, is_new] = zero_.try_emplace(stream.data, true);
    if (is_new) known->second = is_all_zero(stream);
    return known->second;
  }

  std::optional<Misfit> misfit(const Mesh& mesh, const MorphTarget::Shape& shape, std::size_t p) {
    const MeshPart& part = mesh.parts[p];
    if (p >= shape.positions.size() || !shape.positions[p].declared()) return std::nullopt;
    if (!part.positions.declared() || !part.positions.readable()) return std::nullopt;
    const Stream& offsets = shape.positions[p];
    Misfit out;
    out.offsets = offsets.count;
    out.vertices = part.vertex_count;
    if (p < shape.indices.size() && shape.indices[p].declared()) {
      const Stream& indices = shape.indices[p];
      if (is_gltf(input_.asset.format)) return std::nullopt;  // the reader checks sparse accessors
      if (!indices.readable() || !offsets.readable()) return std::nullopt;  // file-damaged's
      if (indices.count != offsets.count) {
        out.text = fmt::format("{} offsets for {} indices", offsets.count, indices.count);
        return out;
      }
      out.out_of_range = beyond(indices, part.vertex_count);
      if (out.out_of_range == 0) return std::nullopt;
      out.text = fmt::format("{} outside the mesh's {} vertices",
                             counted(out.out_of_range, "index", "indices"), part.vertex_count);
      return out;
    }
    if (offsets.count == part.vertex_count) return std::nullopt;
    out.text = fmt::format("{} offsets for {} vertices", offsets.count, part.vertex_count);
    return out;
  }

  std::optional<Misfit> misfit(const Mesh& mesh, const MorphTarget& morph) {
    for (const MorphTarget::Shape& shape : morph.shapes) {
      for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
        if (std::optional<Misfit> found = misfit(mesh, shape, p)) return found;
      }
    }
    return std::nullopt;
  }

  void check_fit(const Mesh& mesh, std::size_t index) {
    std::optional<Finding> finding;
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      const std::optional<Misfit> found = misfit(mesh, mesh.morphs[t]);
      if (!found) continue;
      if (!finding) {
        finding = finding_about(input_, target(index, t), Severity::error);
        finding->count = 0;
        finding->message = found->text;
        finding->measured = {whole("offsets", found->offsets), whole("vertices", found->vertices),
                             whole("out_of_range", found->out_of_range)};
      }
      add(*finding, t, mesh.morphs[t].name);
    }
    if (!finding) return check_part_counts(mesh, index);
    if (finding->count > 1) {
      finding->message += fmt::format("; {} more do not fit the mesh",
                                      counted(finding->count - 1, "shape", "shapes"));
    }
    report(*finding);
  }

  /// glTF: every primitive has the same targets.
  void check_part_counts(const Mesh& mesh, std::size_t index) {
    const auto fewest = std::min_element(mesh.parts.begin(), mesh.parts.end(), fewer_targets);
    if (static_cast<std::size_t>(fewest->morph_target_count) == mesh.morphs.size()) return;
    const auto first_absent = static_cast<std::size_t>(fewest->morph_target_count);
    Finding finding = finding_about(input_, target(index, first_absent), Severity::error);
    finding.count = mesh.morphs.size() - first_absent;
    finding.measured = {whole("fewest_targets", first_absent),
                        whole("most_targets", mesh.morphs.size())};
    finding.message =
        fmt::format("part {} of the mesh has {} of its {}", fewest - mesh.parts.begin(),
                    first_absent, counted(mesh.morphs.size(), "shape", "shapes"));
    report(finding);
  }
  static bool fewer_targets(const MeshPart& a, const MeshPart& b) {
    return a.morph_target_count < b.morph_target_count;
  }

  void check_names(const Mesh& mesh, std::size_t index) {
    std::unordered_map<std::string_view, std::size_t> first;
    std::optional<Finding> finding;
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      const std::string& name = mesh.morphs[t].name;
      if (name.empty() || first.emplace(name, t).second) continue;
      if (!finding) {
        finding = finding_about(input_, target(index, t), Severity::warning);
        finding->count = 0;
        finding->measured = {words("name", name)};
        finding->message = fmt::format("the name \"{}\" is taken by an earlier shape", name);
      }
      add(*finding, t, name);
    }
    if (!finding) return;
    if (finding->count > 1) {
      finding->message +=
          fmt::format("; {} more repeat one", counted(finding->count - 1, "shape", "shapes"));
    }
    finding->remedy = Remedy{
        .symptom = "A slider or clip moves another shape than the one it names.",
        .action = "Give every shape of a mesh a name of its own.",
        .maya =
            "Windows > Animation Editors > Shape Editor: double-click the target and rename it.",
        .max = "Morpher > Channel Parameters: rename the channel.",
        .blender = "Object Data > Shape Keys: double-click the key and rename it."};
    report(*finding);
  }

  bool moves_nothing(const MorphTarget& morph) {
    for (const MorphTarget::Shape& shape : morph.shapes) {
      for (const Stream& offsets : shape.positions) {
        if (offsets.declared() && !is_zero(offsets)) return false;
      }
    }
    return true;
  }

  void check_empty(const Mesh& mesh, std::size_t index) {
    std::optional<Finding> finding;
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      if (!moves_nothing(mesh.morphs[t])) continue;
      if (!finding) {
        finding = finding_about(input_, target(index, t), Severity::note);
        finding->count = 0;
      }
      add(*finding, t, mesh.morphs[t].name);
    }
    if (!finding) return;
    finding->measured = {whole("morph_targets", mesh.morphs.size())};
    finding->message =
        fmt::format("{} no vertex", counted(finding->count, "shape moves", "shapes move"));
    finding->remedy =
        Remedy{.symptom = "A slider does nothing; memory is spent on it all the same.",
               .action = "Delete the shape, unless something outside the file asks for it by name.",
               .maya = "Shape Editor: select the target, Edit > Delete.",
               .max = "Morpher > Channel Parameters > Delete.",
               .blender = "Object Data > Shape Keys: select the key, Remove (-)."};
    report(*finding);
  }

  void add(Finding& finding, std::size_t t, const std::string& name) const {
    ++finding.count;
    finding.sample_of = "shape";
    finding.sample_unit = "none";
    if (finding.samples.size() < input_.max_samples)
      finding.samples.push_back({static_cast<std::int64_t>(t), 0.0, name});
  }
  void report(Finding& finding) {
    if (!sink_.skip(finding.element)) sink_.report(std::move(finding));
  }

  const RuleInput& input_;
  Sink& sink_;
  std::map<std::pair<const std::byte*, std::size_t>, std::uint64_t> beyond_;
  std::map<const std::byte*, bool> zero_;
};

void check(const RuleInput& input, Sink& sink) {
  Topology topology(input, sink);
  for (const SkinnedMesh& skinned : skinned_meshes(input.asset)) topology.check(skinned.mesh);
}

constexpr std::string_view not_a_fault_when[] = {
    "a part of the mesh leaves out the positions of a target: it does not move there",
    "the shapes between (in-betweens) of one target share its name; shapes without a name",
    "a shape that moves nothing: kept for its name (a note)",
    "the mesh has no skin: it is not judged"};

}  // namespace

const Rule morph_topology = {
    {.id = "morph-topology",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::morph_target,
     .summary = "A morph target does not fit the mesh's vertices, repeats a name, or moves nothing",
     .why = "Offsets belong to vertices by position in the list; a list of another length moves "
            "other vertices than meant, and importers refuse it or read beyond its end.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The shape is missing, tears the mesh apart, or import fails.",
                .action = "Make the shape from the present mesh: vertices were added or removed "
                          "after it was made.",
                .maya = "Shape Editor: Edit > Rebuild Target; delete history above the blend shape "
                        "(Edit > Delete by Type > Non-Deformer History) before export.",
                .max = "Put topology changes below Morpher in the stack and reload its targets.",
                .blender = "Apply modifiers before making shape keys; remove keys that were joined "
                           "from another mesh (Join as Shapes)."},
     .source = "glTF 2.0 section 3.7.2.2 (all targets have as many elements as the primitive and "
               "all primitives the same targets); FBX shapes index control points",
     .params = {}},
    check};

}  // namespace skinlint::rules
