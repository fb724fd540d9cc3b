#include <fmt/format.h>

#include <cstdlib>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  const long version = std::strtol(asset.version.c_str(), nullptr, 10);
  const bool old = version > 0 && static_cast<double>(version) < input.param("version");
  const bool ascii = asset.format == Format::fbx_ascii;
  const ElementRef element{ElementKind::file, 0, 0};
  if ((!old && !ascii) || sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::note);
  finding.measured = {words("version", asset.version), words("encoding", asset.encoding)};
  finding.message =
      old ? fmt::format("FBX version {}{}: many tools of today no longer read it", asset.version,
                        ascii ? " in text form" : "")
          : fmt::format("FBX version {} in text form: several tools read only the binary form",
                        asset.version);
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {{"version", 7000, 3000, 8000, "",
                                 "FBX versions below this one count as old",
                                 "7.x connects objects by id; Blender and Assimp refuse what is "
                                 "older, and newer SDKs convert it"}};
constexpr std::string_view not_a_fault_when[] = {
    "the file is binary and of version 7 or later: silent"};

}  // namespace

const Rule file_legacy = {
    {.id = "file-legacy",
     .severity = Severity::note,
     .stage = Stage::read,
     .scope = ElementKind::file,
     .summary = "The FBX is of a version before 7, or in text form",
     .why = "Blender and other importers refuse text files and old versions; old versions also "
            "connect objects by name, which breaks when two share one.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The import fails with \"version not supported\" or \"ASCII FBX files "
                           "are not supported\".",
                .action = "Export again as binary FBX 7.4 or later, or convert the file once.",
                .maya =
                    "FBX export > FBX File Format: Type Binary, Version FBX 2014/2015 or later.",
                .max = "FBX export > FBX File Format: Type Binary, Version FBX 2014/2015 or later.",
                .blender = "Blender does not read such files: convert with Autodesk's FBX "
                           "Converter, then import."},
     .source = "version number and encoding of the file's header",
     .params = params},
    check};

}  // namespace skinlint::rules
