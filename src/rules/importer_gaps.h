#pragma once
// The names of what another importer is known to do, as importer-disagrees says them.

#include <string>
#include <string_view>

#include "skinning/importer_comparison.h"

namespace skinlint::rules {

struct GapText {
  std::string_view id;    // "drops-negative-weights"; empty: no known gap
  std::string_view name;  // "drops negative weights": what the importer does
  bool legal = false;     // the file is within its format: the importer is to be mended
  bool varies = false;    // it reads memory that is not the file's: other numbers in each run
};

/// Never fails; `ImporterGap::none` has empty texts.
GapText gap_text(ImporterGap gap);
/// "joints-lost".
std::string_view difference_name(ImporterDifference::Kind kind);
/// What differs, in numbers; `size` is L in metres.
std::string difference_text(const ImporterDifference& difference, double size);
/// "by up to 3 % of the size".
std::string share_of_size(double displacement, double size);

}  // namespace skinlint::rules
