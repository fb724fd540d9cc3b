#include <array>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 1> not_a_fault_when = {
    "the extension is optional and has nothing to do with skinning (materials, lights, cameras)"};

void check(const RuleInput& input, Sink& sink) {
  for (std::size_t i = 0; i < input.asset.unsupported.size(); ++i) {
    const Unsupported& feature = input.asset.unsupported[i];
    if (!feature.required && !feature.about_skinning) continue;
    Finding finding =
        finding_about(input, {ElementKind::extension, static_cast<std::int32_t>(i), 0},
                      feature.required ? Severity::error : Severity::warning);
    finding.message =
        feature.name + (feature.required ? " is required by the file and cannot be read"
                                         : " is used by the file and cannot be read");
    if (!feature.what.empty()) finding.message += ": " + feature.what;
    finding.measured = {words("extension", feature.name),
                        words("required", feature.required ? "yes" : "no")};
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule file_unsupported{
    {.id = "file-unsupported",
     .severity = Severity::error,
     .stage = Stage::read,
     .scope = ElementKind::extension,
     .summary = "The file uses an extension or feature that cannot be read",
     .why = "What an unread extension stores, positions and weights included, is not judged; an "
            "engine without it refuses the file or shows something else.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The engine refuses the file, or the mesh is missing or undeformed.",
                .action = "Export again without the extension named here, or with one that the "
                          "target engine reads.",
                .maya = "In the glTF exporter's options switch compression and custom extensions "
                        "off; for FBX use File > Export All, FBX export, version FBX 2020.",
                .max = "File > Export > FBX, Advanced Options > FBX File Format: FBX 2020; in glTF "
                       "exporters switch compression off.",
                .blender = "File > Export > glTF 2.0: switch Compression off, and disable add-ons "
                           "that write extensions."},
     .source = "glTF 2.0 section 3.12 (extensionsRequired: a client must not load what it does not "
               "support)",
     .params = {}},
    check};

}  // namespace skinlint::rules
