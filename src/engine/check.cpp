#include "engine/check.h"

#include <algorithm>
#include <exception>
#include <new>

#include "engine/acceptance.h"
#include "engine/digest.h"
#include "engine/run_rules.h"
#include "readers/second_opinion.h"
#include "rules/reference_skeleton.h"

namespace skinlint {
namespace {

std::int64_t own_index(const Asset& asset, const ElementRef& e) {
  const auto i = static_cast<std::size_t>(e.index);
  switch (e.kind) {
    case ElementKind::node:
      return i < asset.nodes.size() ? asset.nodes[i].id : e.index;
    case ElementKind::mesh:
    case ElementKind::part:
    case ElementKind::morph_target:
      return i < asset.meshes.size() ? asset.meshes[i].id : e.index;
    case ElementKind::skin:
      return i < asset.skins.size() ? asset.skins[i].id : e.index;
    case ElementKind::joint: {
      if (i >= asset.skins.size()) return e.index;
      const auto slot = static_cast<std::size_t>(e.sub);
      return slot < asset.skins[i].joint_ids.size() ? asset.skins[i].joint_ids[slot] : e.sub;
    }
    case ElementKind::binding:
      return i < asset.bindings.size()
                 ? asset.nodes[static_cast<std::size_t>(asset.bindings[i].node)].id
                 : e.index;
    case ElementKind::clip:
    case ElementKind::channel:
      return i < asset.clips.size() ? asset.clips[i].id : e.index;
    case ElementKind::bind_pose:
      return i < asset.bind_poses.size() ? asset.bind_poses[i].id : e.index;
    case ElementKind::file:
    case ElementKind::scene:
    case ElementKind::accessor:
    case ElementKind::buffer_view:
    case ElementKind::buffer:
    case ElementKind::extension:
      return e.index;
  }
  return e.index;
}

ReportedElement resolve(const Asset& asset, const ElementRef& element) {
  return {std::string(element_kind_name(element.kind)), asset.path(element), asset.locator(element),
          own_index(asset, element)};
}

// A finding over hundreds of joints names the worst; the count says how many there are.
constexpr std::size_t max_related = 64;
constexpr std::size_t max_skipped = 1000;

ReportedFinding resolve(const Asset& asset, Finding&& finding) {
  ReportedFinding out;
  const Rule* rule = find_rule(finding.rule);
  out.rule = &rule->info;
  out.element = resolve(asset, finding.element);
  if (!finding.locator.empty()) out.element.locator = finding.locator;
  for (const ElementRef& related : finding.related) {
    if (out.related.size() == max_related) break;
    out.related.push_back(resolve(asset, related));
  }
  out.remedy = rule->info.remedy;
  if (finding.remedy) out.remedy = *finding.remedy;
  if (finding.cause && finding.cause->remedy) out.remedy = *finding.cause->remedy;
  out.finding = std::move(finding);
  return out;
}

std::vector<BindingStatistics> statistics(const Asset& asset, const Facts& facts) {
  std::vector<BindingStatistics> all;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    const InfluenceAnalysis& influences = facts.influences(b);
    BindingStatistics s;
    s.mesh_node = asset.node_name(binding.node);
    s.skin = asset.path({ElementKind::skin, binding.skin, 0});
    s.vertices = influences.vertices;
    s.joints = asset.skins[static_cast<std::size_t>(binding.skin)].joints.size();
    s.unweighted_vertices = influences.unweighted_vertices;
    s.max_influences = influences.max_influences;
    s.weight_sum_min = influences.sum_min;
    s.weight_sum_max = influences.sum_max;
    BindAnalysis bind = facts.bind(b);
    bind.joints = {};
    s.bind = std::move(bind);
    all.push_back(std::move(s));
  }
  return all;
}

FileResult unreadable(const std::string& path, ReadError error) {
  FileResult result;
  result.path = path;
  result.status = FileResult::Status::unreadable;
  result.error = std::move(error);
  return result;
}

FileResult crashed(const std::string& path, const std::string& what) {
  FileResult result;
  result.path = path;
  result.status = FileResult::Status::crashed;
  result.error = ReadError{ReadError::Kind::malformed, "internal error: " + what, std::nullopt, {}};
  return result;
}

void judge(const Asset& asset, const CheckConfig& config, const ImporterView* importer,
           FileResult& result) {
  result.format = asset.format_label();
  result.version = asset.version;
  result.generator = asset.generator;
  result.bytes = asset.file_bytes;
  result.skins = asset.skins.size();
  result.meshes = asset.meshes.size();
  for (const Node& node : asset.nodes) result.joints += node.is_joint ? 1 : 0;

  const Facts facts(asset, config.zero_weight, config.fallback_joint);
  RuleOutcome outcome = run_rules(asset, facts, config, importer);
  for (Finding& finding : outcome.findings)
    result.findings.push_back(resolve(asset, std::move(finding)));
  result.rules = std::move(outcome.rules);
  const std::size_t listed = std::min(outcome.skipped.size(), max_skipped);
  for (std::size_t i = 0; i < listed; ++i) {
    const RuleOutcome::Skip& skip = outcome.skipped[i];
    result.skipped.push_back(
        {std::string(skip.rule), resolve(asset, skip.element), std::string(skip.because)});
  }
  result.not_checked = asset.not_checked;
  if (outcome.skipped.size() > listed) {
    result.not_checked.push_back(
        {std::to_string(outcome.skipped.size() - listed) + " more rules on elements",
         "earlier findings rule them out; only the first " + std::to_string(max_skipped) +
             " are listed as skipped"});
  }
  for (NotChecked& entry : outcome.not_checked) result.not_checked.push_back(std::move(entry));
  result.fail_on = config.fail_on;
  if (config.want_statistics) result.bindings = statistics(asset, facts);
  set_fingerprints(result, result.path);
}

}  // namespace

std::string_view status_name(FileResult::Status status) {
  switch (status) {
    case FileResult::Status::checked:
      return "checked";
    case FileResult::Status::unreadable:
      return "unreadable";
    case FileResult::Status::crashed:
      return "crashed";
    case FileResult::Status::timeout:
      return "timeout";
  }
  return "";
}

Result<std::shared_ptr<const Skeleton>> read_reference(const std::string& path,
                                                       const CheckConfig& config) {
  const Result<Asset> asset = read_asset(path, config.read);
  if (!asset) return asset.error();
  const Facts facts(*asset);
  auto skeleton = std::make_shared<const Skeleton>(rules::skeleton_of(facts));
  if (skeleton->joints.empty()) {
    return ReadError{ReadError::Kind::unsupported, "the file has no skeleton", {}, {}};
  }
  return std::shared_ptr<const Skeleton>(std::move(skeleton));
}

FileResult check_asset(const Asset& asset, const std::string& path, const CheckConfig& config,
                       const ImporterView* importer) {
  FileResult result;
  result.path = path;
  judge(asset, config, importer, result);
  return result;
}

FileResult check_file(const std::string& path, const CheckConfig& config) {
  try {
    FileResult result;
    result.path = path;
    ReadOptions read = config.read;
    read.clip_curves = false;  // rules look at keys
    const Result<Asset> asset = read_asset(path, read, &result.companions);
    if (!asset) return unreadable(path, asset.error());
    if (config.want_sha256) {
      if (const auto source = map_file(path, config.read.limits))
        result.sha256 = sha256_hex((*source)->bytes());
    }
    std::optional<ImporterView> importer;
    std::string because;
    if (config.second_opinion) {
      importer = second_opinion(path, *asset, config.read, because, result.companions);
    }
    judge(*asset, config, importer ? &*importer : nullptr, result);
    if (!because.empty()) result.not_checked.push_back({"a second opinion", because});
    return result;
  } catch (const std::bad_alloc&) {
    return crashed(path, "out of memory");
  } catch (const std::exception& e) {
    return crashed(path, e.what());
  }
}

void RunSummary::add(const FileResult& result) {
  ++files;
  switch (result.status) {
    case FileResult::Status::unreadable:
      ++unreadable;
      return;
    case FileResult::Status::crashed:
    case FileResult::Status::timeout:
      ++crashed;
      return;
    case FileResult::Status::checked:
      break;
  }
  if (std::none_of(result.findings.begin(), result.findings.end(),
                   [](const ReportedFinding& f) { return f.counts(); })) {
    ++clean;
  } else {
    ++with_findings;
  }
  bool fails = false;
  for (const ReportedFinding& f : result.findings) {
    waived += f.waived ? 1U : 0U;
    baselined += !f.waived && f.baselined ? 1U : 0U;
    if (!f.counts()) continue;
    fails = fails || (result.fail_on != Severity::off && f.finding.severity >= result.fail_on);
    errors += f.finding.severity == Severity::error ? 1 : 0;
    warnings += f.finding.severity == Severity::warning ? 1 : 0;
    notes += f.finding.severity == Severity::note ? 1 : 0;
  }
  failed += fails ? 1 : 0;
}

int exit_status(const RunSummary& summary) {
  if (summary.crashed > 0) return 4;
  if (summary.unreadable > 0) return 3;
  return summary.failed > 0 ? 1 : 0;
}

}  // namespace skinlint
