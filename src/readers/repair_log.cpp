#include "readers/repair_log.h"

#include <algorithm>
#include <utility>

namespace skinlint {

void RepairLog::add(Repair::Kind kind, ElementRef element, bool affects_skinning,
                    std::string detail, std::string locator, std::uint64_t count) {
  Key key(kind, element, locator);
  const auto found = index_.find(key);
  if (found != index_.end()) {
    Repair& repair = repairs_[found->second];
    repair.count += count;
    repair.affects_skinning = repair.affects_skinning || affects_skinning;
    return;
  }
  if (repairs_.size() >= max_listed) {
    Total& total = unlisted_[kind];
    total.count += std::max<std::uint64_t>(count, 1);
    total.affects_skinning = total.affects_skinning || affects_skinning;
    return;
  }
  index_.emplace(std::move(key), repairs_.size());
  Repair repair;
  repair.kind = kind;
  repair.affects_skinning = affects_skinning;
  repair.element = element;
  repair.count = count;
  repair.detail = std::move(detail);
  repair.locator = std::move(locator);
  repairs_.push_back(std::move(repair));
}

std::vector<Repair> RepairLog::take() {
  for (Repair& repair : repairs_) repair.count = std::max<std::uint64_t>(repair.count, 1);
  for (const auto& [kind, total] : unlisted_) {
    Repair repair;
    repair.kind = kind;
    repair.affects_skinning = total.affects_skinning;
    repair.element = {ElementKind::file, 0, 0};
    repair.count = total.count;
    repair.detail = "more of the same kind, not listed one by one";
    repairs_.push_back(std::move(repair));
  }
  unlisted_.clear();
  index_.clear();
  return std::exchange(repairs_, {});
}

}  // namespace skinlint
