#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/check.h"

namespace skinlint {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substitute});
    }
  }
  return row.back();
}

std::string unknown_rule(std::string_view id) {
  std::vector<std::string_view> names;
  for (const Rule* rule : all_rules()) names.push_back(rule->info.id);
  return fmt::format("unknown rule '{}'{}", id, suggestion(id, names));
}

}  // namespace

std::string suggestion(std::string_view given, const std::vector<std::string_view>& valid) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, given.size() / 2);
  for (const std::string_view name : valid) {
    const std::size_t distance = edit_distance(given, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

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
        std::vector<std::string_view> names;
        for (const ParamInfo& p : known) names.push_back(p.name);
        if (names.empty()) return fmt::format("rule '{}' has no parameters", id);
        return fmt::format("rule '{}' has no parameter '{}'{} (it has: {})", id, name,
                           suggestion(name, names), fmt::join(names, ", "));
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
