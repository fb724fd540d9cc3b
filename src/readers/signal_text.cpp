#include "readers/signal_text.h"

#include <cstring>

namespace skinlint {

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  std::string text = "SIG" + (name != nullptr ? std::string(name) : std::to_string(signal));
  if (description != nullptr) text += " (" + std::string(description) + ")";
  return text;
}

}  // namespace skinlint
