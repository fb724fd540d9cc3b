#pragma once
// A finding: one (rule, element) with exact count, extremes and the worst few samples. Data first:
// the message is made from the arguments, and tests compare arguments, never prose.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/element.h"

namespace skinlint {

enum class Severity : std::uint8_t { off, note, warning, error };
std::string_view severity_name(Severity severity);
std::optional<Severity> severity_from_name(std::string_view name);

struct Measure {
  std::string name;  // snake_case, stable: "worst_sum"
  std::variant<double, std::int64_t, std::string> value;
  std::string unit;  // "m", "deg", "%", "joints", "" for a plain number
};

struct Sample {
  std::int64_t index =
      0;  // vertex (within the binding's part order), joint slot or key, as the rule says
  double value = 0.0;
  std::string label;  // joint name or "part 1" where it helps; may be empty
};

struct Remedy {
  std::string_view symptom, action, maya, max, blender;
};

struct Cause {
  enum class Confidence : std::uint8_t { certain, ambiguous, none };
  std::string id;
  Confidence confidence = Confidence::none;
  double residual_before = 0.0, residual_after = 0.0;
  std::vector<std::string> joints;
  std::vector<std::string> alternatives;
  std::string text;
  std::optional<Remedy> remedy;
};

struct Finding {
  std::string_view rule;  // id
  Severity severity = Severity::note;
  ElementRef element;
  std::string message;              // one sentence, the artist's words, with the numbers
  std::vector<ElementRef> related;  // joints, worst first
  std::vector<Measure> measured;
  std::vector<Measure> limits;
  std::uint64_t count = 1;
  /// False when neither `element` nor `related` is to be poisoned by an error, because the fault
  /// lies in single vertices (which the rule poisons itself) or entries: one bad vertex must not
  /// keep later rules from judging the binding's other vertices and its matrices.
  bool poisons_element = true;
  std::vector<Sample> samples;  // worst first, at most RuleInput::max_samples
  std::string_view sample_of;   // what Sample::index counts: "vertex", "joint", "key"; may be empty
  std::string_view sample_unit;  // of Sample::value, as in Measure; "none": the value says nothing
  std::optional<Cause> cause;
  std::optional<Remedy> remedy;  // when another than the rule's own fits this occurrence better
  std::string locator;           // finer than the element's, when known
};

}  // namespace skinlint
