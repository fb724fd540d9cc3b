#include <fmt/format.h>

#include <algorithm>

#include "engine/check.h"
#include "engine/config_view.h"
#include "engine/suggest.h"

namespace skinlint {

std::string validate(const CheckConfig& config) {
  for (const auto* list : {&config.select, &config.ignore}) {
    for (const std::string& id : *list) {
      if (find_rule(id) == nullptr) return unknown_rule(id);
    }
  }
  for (const auto& [id, severity] : config.severities) {
    if (find_rule(id) == nullptr) return unknown_rule(id);
  }
  for (const auto& [id, values] : config.params) {
    const Rule* rule = find_rule(id);
    if (rule == nullptr) return unknown_rule(id);
    for (const auto& [name, value] : values) {
      const auto& known = rule->info.params;
      const auto found =
          std::find_if(known.begin(), known.end(),
                       [&, &wanted = name](const ParamInfo& p) { return p.name == wanted; });
      if (found == known.end()) {
        std::vector<std::string> names;
        for (const ParamInfo& p : known) names.emplace_back(p.name);
        if (names.empty()) return fmt::format("rule '{}' has no parameters", id);
        return fmt::format("rule '{}' has no parameter '{}'{}", id, name, suggestion(name, names));
      }
      if (!(value >= found->min && value <= found->max)) {
        return fmt::format("{}.{} = {} is outside its range {} … {}", id, name, value, found->min,
                           found->max);
      }
    }
  }
  return {};
}

}  // namespace skinlint
