#include "support/diagnosis_score.h"

#include <algorithm>

namespace skinlint::test {
namespace {

bool known(const FileResult& clean, const Finding& finding) {
  return std::any_of(
      clean.findings.begin(), clean.findings.end(), [&](const ReportedFinding& before) {
        return before.finding.rule == finding.rule && before.finding.element == finding.element &&
               before.finding.severity >= finding.severity && before.finding.count >= finding.count;
      });
}

bool contains(const std::vector<std::string_view>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

const std::vector<double>& sizes_of(const FaultKind& kind) {
  static const std::vector<double> graded = {0.5, 0.9, 2.0, 10.0}, whole = {1.0};
  return kind.graded ? graded : whole;
}

bool is_whole(const FaultSite& site) {
  const BindAnalysis& bind = site.facts().bind(site.binding());
  if (bind.state != BindState::identity && bind.state != BindState::common) return false;
  return site.weighted().size() >= 2 && bind.candidate != Candidate::none &&
         !(bind.placement.value_or(0.0) > 0.045);
}

Verdict judge(const FileResult& clean, const FileResult& faulty, const FaultKind& kind, double size,
              const Injected& injected, std::size_t binding) {
  Verdict out;
  const bool must_speak = size >= 1.0 && !kind.harmless;
  const Severity loud = kind.harmless ? Severity::warning : kind.least;
  bool spoke = false, disturbed = false;
  const Cause* cause = nullptr;
  for (const ReportedFinding& reported : faulty.findings) {
    const Finding& finding = reported.finding;
    if (known(clean, finding)) continue;
    const bool expected = contains(kind.rules, finding.rule);
    if (expected && finding.severity >= kind.least) spoke = true;
    // Just inside a limit another, lower one may be passed: that is not this kind's silence.
    if ((expected && finding.severity >= loud) ||
        (finding.severity >= Severity::warning && !expected &&
         !contains(kind.companions, finding.rule)))
      disturbed = true;
    if (finding.severity >= Severity::warning && !expected &&
        !contains(kind.companions, finding.rule))
      out.others.emplace_back(finding.rule);
    if (finding.cause && cause == nullptr) cause = &*finding.cause;
  }
  using Outcome = Verdict::Outcome;
  if (!must_speak) {
    out.outcome = disturbed ? Outcome::false_alarm : Outcome::silent;
  } else {
    out.outcome = spoke ? Outcome::detected : Outcome::missed;
  }
  if (cause == nullptr) return out;
  out.cause = cause->id;
  out.ambiguous = cause->confidence == Cause::Confidence::ambiguous;
  out.cause_right = contains(kind.causes, cause->id);
  if (must_speak && out.cause_right && !injected.slots.empty()) {
    const Asset& asset = injected.asset;
    std::vector<std::string> wanted, named = cause->joints;
    for (const std::int32_t slot : injected.slots) {
      const auto skin = static_cast<std::size_t>(asset.bindings[binding].skin);
      wanted.push_back(asset.node_name(asset.skins[skin].joints[static_cast<std::size_t>(slot)]));
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(named.begin(), named.end());
    out.slots_judged = true;
    out.slots_right = wanted == named;
  }
  return out;
}

std::optional<Verdict> try_fault(const FaultSite& site, const FileResult& clean,
                                 const FaultKind& kind, std::uint32_t seed, double size,
                                 bool encoded) {
  Random random(seed);
  std::optional<Injected> injected = kind.inject(site, random, size);
  if (!injected) return std::nullopt;
  CheckConfig config;
  config.want_statistics = false;
  if (!encoded) {
    return judge(clean, check_asset(injected->asset, "faulty", config), kind, size, *injected,
                 site.binding());
  }
  if (!kind.encodable) return std::nullopt;
  Result<Asset> read = written_and_read(injected->asset);
  if (!read) return std::nullopt;
  return judge(clean, check_asset(*read, "faulty", config), kind, size, *injected, site.binding());
}

void Scoreboard::add(const FaultKind& kind, double size, const Verdict& verdict) {
  KindTally& tally = tallies_[std::string(kind.id)];
  using Outcome = Verdict::Outcome;
  const bool inside = size < 1.0 || kind.harmless;
  ++(inside ? tally.inside : tally.outside);
  if (verdict.outcome == Outcome::silent) ++tally.silent;
  if (verdict.outcome == Outcome::detected) {
    ++tally.detected;
    if (!kind.causes.empty()) {
      ++tally.causes_judged;
      if (verdict.cause_right) ++tally.causes_right;
      if (verdict.ambiguous) ++tally.ambiguous;
      ++tally.causes[verdict.cause];
    }
    if (verdict.slots_judged) ++tally.slots_judged;
    if (verdict.slots_right) ++tally.slots_right;
  }
  for (const std::string& rule : verdict.others) ++tally.others[rule];
}

namespace {

void add_to(KindTally& sum, const KindTally& tally) {
  sum.outside += tally.outside;
  sum.detected += tally.detected;
  sum.inside += tally.inside;
  sum.silent += tally.silent;
  sum.not_applicable += tally.not_applicable;
  sum.causes_judged += tally.causes_judged;
  sum.causes_right += tally.causes_right;
  sum.ambiguous += tally.ambiguous;
  sum.slots_judged += tally.slots_judged;
  sum.slots_right += tally.slots_right;
  for (const auto& [cause, count] : tally.causes) sum.causes[cause] += count;
  for (const auto& [rule, count] : tally.others) sum.others[rule] += count;
}

}  // namespace

KindTally Scoreboard::total() const {
  KindTally sum;
  for (const auto& [id, tally] : tallies_) add_to(sum, tally);
  return sum;
}

KindTally Scoreboard::of_causes() const {
  KindTally sum;
  for (const FaultKind& kind : fault_kinds()) {
    const auto at = tallies_.find(std::string(kind.id));
    if (!kind.causes.empty() && !kind.harmless && at != tallies_.end()) add_to(sum, at->second);
  }
  return sum;
}

void Scoreboard::merge(const Scoreboard& other) {
  for (const auto& [id, tally] : other.tallies_) add_to(tallies_[id], tally);
}

}  // namespace skinlint::test
