#include "rules/finding.h"

#include <array>

namespace skinlint {
namespace {

struct SeverityName {
  Severity severity;
  std::string_view name;
};
constexpr std::array<SeverityName, 4> severity_names{{{Severity::off, "off"},
                                                      {Severity::note, "note"},
                                                      {Severity::warning, "warning"},
                                                      {Severity::error, "error"}}};

}  // namespace

std::string_view severity_name(Severity severity) {
  for (const SeverityName& entry : severity_names) {
    if (entry.severity == severity) return entry.name;
  }
  return "off";
}

std::optional<Severity> severity_from_name(std::string_view name) {
  for (const SeverityName& entry : severity_names) {
    if (entry.name == name) return entry.severity;
  }
  return std::nullopt;
}

}  // namespace skinlint
