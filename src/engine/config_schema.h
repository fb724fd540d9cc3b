#pragma once
// What an editor and a beginner want of .skinlint.json, made from the registry of rules.

#include <string>

#include "rules/rule.h"

namespace skinlint {

/// JSON Schema (draft 2020-12) of the configuration file: docs/config.schema.json.
std::string config_schema();
/// A configuration file with every default and what each means, as comments.
std::string default_config();
/// A parameter's value as people read it: levels by name.
std::string param_text(const ParamInfo& param, double value);

}  // namespace skinlint
