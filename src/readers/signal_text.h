#pragma once
// Names of signals, wherever a process of ours was ended by one.

#include <string>

namespace skinlint {

/// "SIGSEGV (Segmentation fault)".
std::string signal_text(int signal);

}  // namespace skinlint
