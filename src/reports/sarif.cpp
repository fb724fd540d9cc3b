// SARIF 2.1.0 (OASIS), for code scanning. GitHub refuses a run with more than 25 000 results or a
// file beyond 10 MB gzipped, shows the 5000 worst, and needs a region for every result; so the
// worst results are kept in a bounded store and written at the end, and what was dropped is said.

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/json_writer.h"
#include "reports/sarif_rules.h"
#include "reports/unicode.h"
#include "reports/worst_first.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::size_t kMostResults = 25000;  // of a run that GitHub accepts
// Measured, gzip makes a tenth of results: this leaves room for worse names.
constexpr std::size_t kMostBytes = std::size_t{60} << 20;
constexpr std::size_t kMostNotifications = 1000;
constexpr std::size_t kMostNotificationBytes = std::size_t{1} << 20;
constexpr std::size_t kRelated = 10;         // GitHub takes 1000 locations and shows 100
constexpr std::size_t kMessageLimit = 1000;  // code points

constexpr std::size_t kFailure = 0, kError = 1, kWarning = 2, kNote = 3, kAccepted = 4, kRanks = 5;

std::size_t rank_of(const ReportedFinding& reported) {
  if (!reported.counts()) return kAccepted;
  if (reported.finding.severity == Severity::error) return kError;
  return reported.finding.severity == Severity::warning ? kWarning : kNote;
}

/// A relative or file URI (RFC 3986): every byte but the unreserved ones percent-encoded, so that a
/// colon begins no scheme and no name is taken for a query.
std::string uri_of(std::string_view path) {
  while (path.substr(0, 2) == "./") path.remove_prefix(2);
  std::string uri = path.substr(0, 1) == "/" ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return uri;
}

/// SARIF makes a link of "[text](target)" in a message, and names come from files.
std::string message_text(const std::string& text) {
  std::string out;
  for (const char c : printable(text, kMessageLimit)) {
    if (c == '(' && !out.empty() && out.back() == ']') out += ' ';
    out += c;
  }
  return out;
}

void write_text(JsonWriter& w, std::string_view key, const std::string& text) {
  w.key(key).begin_object().key("text").string(message_text(text)).end_object();
}

void write_physical(JsonWriter& w, std::string_view path) {
  w.key("physicalLocation").begin_object();
  w.key("artifactLocation").begin_object();
  w.key("uri").string(uri_of(path));
  if (path.substr(0, 1) != "/") w.key("uriBaseId").string("%SRCROOT%");
  w.end_object();
  w.key("region").begin_object().key("startLine").integer(1).end_object();
  w.end_object();
}

void write_logical(JsonWriter& w, const ReportedElement& element) {
  std::string_view name = element.path;
  name.remove_prefix(std::min(name.find_last_of("/:") + 1, name.size()));
  w.key("logicalLocations").begin_array().begin_object();
  w.key("name").string(printable(name));
  w.key("fullyQualifiedName").string(printable(element.path, kTextLimit));
  w.key("kind").string(element.kind);
  if (!element.locator.empty()) {
    w.key("properties").begin_object();
    w.key("locator").string(printable(element.locator, kTextLimit)).end_object();
  }
  w.end_object().end_array();
}

/// A value on one line, made apart from the document.
template <class Write>
std::string rendered(Write write) {
  std::ostringstream out;
  JsonWriter w(out);
  w.begin_object(Layout::line);
  write(w);
  w.end_object();
  w.flush();
  return std::move(out).str();
}

void write_rule(JsonWriter& w, std::string_view id) {
  w.key("ruleId").string(id);
  if (const std::int64_t index = sarif_rule_index(id); index >= 0) {
    w.key("ruleIndex").integer(index);
  }
}

/// GitHub tells alerts apart by the first alone and would hash the text of line 1 for it, which all
/// findings of a file share; the second is for everyone else.
void write_fingerprints(JsonWriter& w, const std::string& fingerprint) {
  w.key("partialFingerprints").begin_object();
  w.key("primaryLocationLineHash").string(fingerprint);
  w.key("skinlint/v1").string(fingerprint);
  w.end_object();
}

std::string result_of(const std::string& path, const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  return rendered([&](JsonWriter& w) {
    write_rule(w, finding.rule);
    w.key("level").string(severity_name(finding.severity));
    write_text(w, "message",
               element_text(reported.element) + ": " + finding_paragraph(reported, kMessageLimit));
    w.key("locations").begin_array().begin_object();
    write_physical(w, path);
    write_logical(w, reported.element);
    w.end_object().end_array();
    if (!reported.related.empty()) {
      w.key("relatedLocations").begin_array();
      for (std::size_t i = 0; i < std::min(reported.related.size(), kRelated); ++i) {
        w.begin_object();
        w.key("id").count(i + 1);
        write_physical(w, path);
        write_logical(w, reported.related[i]);
        write_text(w, "message", element_text(reported.related[i]));
        w.end_object();
      }
      w.end_array();
    }
    write_fingerprints(w, reported.fingerprint);
    if (!reported.counts()) {
      w.key("suppressions").begin_array().begin_object();
      w.key("kind").string("external");
      w.key("justification").string(acceptance_reason(reported));
      w.end_object().end_array();
    }
  });
}

std::string failure_result(const FileResult& result, const FileFailure& failure) {
  return rendered([&](JsonWriter& w) {
    write_rule(w, failure.id);
    w.key("level").string("error");
    write_text(w, "message", failure_text(result));
    w.key("locations").begin_array().begin_object();
    write_physical(w, result.path);
    w.end_object().end_array();
    write_fingerprints(w, failure_fingerprint(result));
  });
}

std::string notification(std::string_view level, const std::string& text, std::string_view path,
                         std::string_view rule) {
  return rendered([&](JsonWriter& w) {
    if (!rule.empty()) {
      w.key("associatedRule").begin_object();
      w.key("id").string(rule);
      w.key("index").integer(sarif_rule_index(rule));
      w.end_object();
    }
    w.key("level").string(level);
    write_text(w, "message", text);
    if (!path.empty()) {
      w.key("locations").begin_array().begin_object();
      write_physical(w, path);
      w.end_object().end_array();
    }
  });
}

class SarifReport final : public ReportWriter {
 public:
  explicit SarifReport(std::ostream& out) : w_(out) {}

  void begin(const CheckConfig& config) override {
    config_.severities = config.severities;
    config_.select = config.select;
    config_.ignore = config.ignore;
  }

  void file(const FileResult& result) override {
    if (const FileFailure* failure = failure_of(result.status)) {
      if (results_.takes(kFailure)) results_.add(kFailure, failure_result(result, *failure));
      notify(kError, "error", failure_text(result), result.path, failure->id);
    }
    for (const ReportedFinding& reported : result.findings) {
      if (reported.finding.severity == Severity::off) continue;
      const std::size_t rank = rank_of(reported);
      if (results_.takes(rank)) results_.add(rank, result_of(result.path, reported));
    }
    for (const NotChecked& gap : result.not_checked) {
      notify(kNote, "note", fmt::format("not checked: {} ({})", gap.what, gap.because), result.path,
             {});
    }
  }

  void end(const RunSummary& summary) override {
    w_.begin_object();
    w_.key("$schema").string(
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json");
    w_.key("version").string("2.1.0");
    w_.key("runs").begin_array().begin_object();
    w_.key("tool").begin_object().key("driver").begin_object();
    w_.key("name").string("skinlint");
    w_.key("version").string(SKINLINT_VERSION);
    w_.key("rules");
    write_sarif_rules(w_);
    w_.end_object().end_object();
    w_.key("invocations").begin_array();
    write_invocation(summary);
    w_.end_array();
    w_.key("results").begin_array();
    results_.for_each([this](std::size_t, const std::string& json) { w_.raw(json); });
    w_.end_array();
    w_.end_object().end_array().end_object();
    w_.finish();
  }

 private:
  void notify(std::size_t rank, std::string_view level, const std::string& text,
              std::string_view path, std::string_view rule) {
    if (notifications_.takes(rank)) {
      notifications_.add(rank, notification(level, text, path, rule));
    }
  }

  void write_invocation(const RunSummary& summary) {
    w_.begin_object();
    w_.key("executionSuccessful").boolean(summary.crashed == 0);
    w_.key("ruleConfigurationOverrides");
    write_sarif_overrides(w_, config_);
    w_.key("toolConfigurationNotifications").begin_array();
    for (const std::string& waiver : summary.expired_waivers) {
      w_.raw(notification("warning", "expired waiver: " + waiver, {}, {}));
    }
    for (const std::string& waiver : summary.unused_waivers) {
      w_.raw(notification("note", "unused waiver: " + waiver, {}, {}));
    }
    w_.end_array();
    w_.key("toolExecutionNotifications").begin_array();
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      const std::uint64_t dropped = results_.dropped(rank);
      if (dropped == 0) continue;
      w_.raw(notification("warning",
                          fmt::format("{} left out: the {} worst results are kept, as many as "
                                      "code scanning takes; the JSON report has all",
                                      plural(dropped, kRankNames[rank]), results_.size()),
                          {}, {}));
    }
    if (const std::uint64_t dropped = notifications_.dropped(); dropped != 0) {
      w_.raw(notification(
          "warning", fmt::format("{} left out", plural(dropped, "more notification")), {}, {}));
    }
    notifications_.for_each([this](std::size_t, const std::string& json) { w_.raw(json); });
    w_.end_array();
    w_.end_object();
  }

  static constexpr std::string_view kRankNames[kRanks] = {"failed file", "error", "warning", "note",
                                                          "accepted finding"};

  JsonWriter w_;
  CheckConfig config_;  // what decides over rules
  WorstFirst results_{kRanks, kMostResults, kMostBytes};
  WorstFirst notifications_{kRanks, kMostNotifications, kMostNotificationBytes};
};

}  // namespace

std::unique_ptr<ReportWriter> make_sarif_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<SarifReport>(out);
}

}  // namespace skinlint
