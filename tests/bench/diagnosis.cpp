// Detection and diagnosis, measured: faults of every kind put into clean assets, and what the rules
// make of them. docs/diagnosis.md is this program's output.
//   diagnosis [--corpus FOLDER] [--seeds N] [--kind PART_OF_A_NAME] [--list] [FILE…]
// FOLDER (or SKINLINT_CORPUS) holds manifest.tsv with path, format, skinned and label in its first
// columns; the skinned files labelled clean take part. Without it, the built rigs and FILEs do.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "readers/reader.h"
#include "support/diagnosis_score.h"
#include "support/fbx_form.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Options {
  std::string corpus;
  std::vector<std::string> files;
  std::uint32_t seeds = 2;
  bool list = false;
  std::string only;
};

struct Source {
  std::string name;
  Asset asset;
  bool built = false;
};

struct Untouched {
  std::string name;
  std::string format;
  std::size_t joints = 0;
  std::vector<std::string> spoke;  // rules at warning or above
  bool used = false;
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Paths of the skinned files labelled clean.
std::vector<std::string> clean_files(const std::string& corpus) {
  std::vector<std::string> out;
  std::ifstream manifest(corpus + "/manifest.tsv");
  std::string line;
  while (std::getline(manifest, line)) {
    std::istringstream fields(line);
    std::string path, format, skinned, label;
    std::getline(fields, path, '\t');
    std::getline(fields, format, '\t');
    std::getline(fields, skinned, '\t');
    std::getline(fields, label, '\t');
    if (skinned.rfind("yes", 0) == 0 && label == "clean") out.push_back(corpus + "/" + path);
  }
  return out;
}

struct Bench {
  Options options;
  Scoreboard board, built_board;
  std::vector<Untouched> untouched;
  std::size_t bindings = 0, injections = 0;

  void run(const Source& source) {
    CheckConfig config;
    config.want_statistics = false;
    const FileResult clean = check_asset(source.asset, source.name, config);
    Untouched row;
    row.name = source.name;
    row.format = std::string(format_name(source.asset.format));
    std::set<std::int32_t> joints;
    for (const Skin& skin : source.asset.skins)
      joints.insert(skin.joints.begin(), skin.joints.end());
    row.joints = joints.size();
    for (const ReportedFinding& found : clean.findings) {
      if (found.finding.severity >= Severity::warning) row.spoke.emplace_back(found.finding.rule);
    }
    if (row.spoke.empty()) row.used = inject_everywhere(source, clean);
    untouched.push_back(std::move(row));
  }

  bool inject_everywhere(const Source& source, const FileResult& clean) {
    constexpr std::size_t most_bindings = 3;  // of one file, so that none outweighs the others
    std::size_t used = 0;
    for (std::size_t b = 0; b < source.asset.bindings.size() && used < most_bindings; ++b) {
      if (source.asset.bindings[b].skin < 0) continue;
      const FaultSite site(source.asset, b);
      if (!is_whole(site)) continue;
      ++used;
      for (const FaultKind& kind : fault_kinds()) {
        if (!fits_format(kind, source.asset.format)) continue;
        if (!options.only.empty() && kind.id.find(options.only) == std::string_view::npos) continue;
        for (std::uint32_t seed = 1; seed <= options.seeds; ++seed) {
          for (const double size : sizes_of(kind)) {
            one(source, site, clean, kind, seed, size, false);
            if (source.built) one(source, site, clean, kind, seed, size, true);
          }
        }
      }
    }
    bindings += used;
    return used > 0;
  }

  void one(const Source& source, const FaultSite& site, const FileResult& clean,
           const FaultKind& kind, std::uint32_t seed, double size, bool encoded) {
    const std::optional<Verdict> verdict = try_fault(site, clean, kind, seed, size, encoded);
    if (!verdict) {
      if (!encoded) board.not_applicable(kind);
      return;
    }
    ++injections;
    board.add(kind, size, *verdict);
    if (source.built) built_board.add(kind, size, *verdict);
    if (!options.list) return;
    const bool fine = verdict->outcome == Verdict::Outcome::silent ||
                      (verdict->outcome == Verdict::Outcome::detected &&
                       (kind.causes.empty() || verdict->cause_right) &&
                       (!verdict->slots_judged || verdict->slots_right));
    if (fine && verdict->others.empty()) return;
    static constexpr const char* outcomes[] = {"detected", "MISSED", "silent", "FALSE ALARM"};
    std::string others;
    for (const std::string& rule : verdict->others) others += " +" + rule;
    std::cerr << fmt::format("{} binding {} {} seed {} size {}{}: {} cause {}{}{}\n", source.name,
                             site.binding(), kind.id, seed, size, encoded ? " encoded" : "",
                             outcomes[static_cast<int>(verdict->outcome)], verdict->cause,
                             verdict->slots_judged && !verdict->slots_right ? " WRONG JOINTS" : "",
                             others);
  }
};

/// Milliseconds that diagnose() takes on skeletons of 300 joints, worst over the faults.
struct Cost {
  double worst = 0.0;
  std::string worst_kind;
  std::size_t runs = 0;
};
Cost cost_of_300_joints() {
  Cost cost;
  for (const bool fbx : {false, true}) {
    const Rig rig = chain_rig(300, 600, 8);
    const Asset asset = fbx ? to_fbx_asset(rig) : to_asset(rig);
    const FaultSite site(asset, 0);
    for (const FaultKind& kind : fault_kinds()) {
      if (kind.causes.empty() || !fits_format(kind, asset.format)) continue;
      Random random(1);
      const std::optional<Injected> injected = kind.inject(site, random, kind.graded ? 10.0 : 1.0);
      if (!injected) continue;
      const Facts facts(injected->asset);
      facts.bind(0);
      // Time of the processor: what else runs on the machine is no part of it.
      const std::clock_t begin = std::clock();
      facts.diagnosis(0);
      const double ms =
          1000.0 * static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
      ++cost.runs;
      if (ms > cost.worst) {
        cost.worst = ms;
        cost.worst_kind = std::string(kind.id) + (fbx ? " (FBX)" : " (glTF)");
      }
    }
  }
  return cost;
}

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "–";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void print(const Bench& bench, const Cost& cost) {
  const KindTally all = bench.board.total(), causes = bench.board.of_causes();
  std::size_t used = 0, built = 0, alarms = 0, gltf = 0, fbx = 0;
  for (const Untouched& row : bench.untouched) {
    if (!row.spoke.empty()) ++alarms;
    if (!row.used) continue;
    ++used;
    ++(row.format == "fbx" ? fbx : gltf);
  }
  for (const Untouched& row : bench.untouched) {
    if (row.used && row.name.rfind("built ", 0) == 0) ++built;
  }
  std::cout << fmt::format(
      "# Diagnosis, measured\n\n"
      "Faults of known kind, place and size are put into clean assets, and the rules are asked. "
      "`tests/support/faults.h` says what each kind does;\n"
      "`tests/bench/diagnosis.cpp` is the program that printed this page:\n\n"
      "```\ncmake --preset dev && cmake --build --preset dev --target diagnosis\n"
      "SKINLINT_CORPUS=FOLDER build/dev/tests/diagnosis --seeds {} > docs/diagnosis.md\n```\n\n"
      "FOLDER holds published files and a `manifest.tsv` (path, format, skinned, label); without "
      "it "
      "the built rigs alone are measured. `--list` shows each miss.\n"
      "Every kind is put into every binding at as many places as there are seeds. Built rigs are "
      "judged twice: as injected in memory, and written to GLB or FBX and read back.\n\n",
      bench.options.seeds);
  std::cout << fmt::format(
      "| | |\n|---|---|\n"
      "| assets with faults put in | {} ({} glTF, {} FBX; {} built) |\n"
      "| bindings | {} |\n| injections judged | {} |\n"
      "| detected, at a limit × 2 and above | {} of {} ({}) |\n"
      "| silent just inside the limits (× 0.5, × 0.9) or where harmless | {} of {} ({}) |\n"
      "| right cause first | {} of {} ({}) |\n"
      "| of these said to be ambiguous | {} |\n"
      "| changed joints listed exactly | {} of {} ({}) |\n"
      "| diagnosis of 300 joints, slowest of {} faults | {:.1f} ms ({}) |\n\n",
      used, gltf, fbx, built, bench.bindings, bench.injections, all.detected, all.outside,
      percent(all.detected, all.outside), all.silent, all.inside, percent(all.silent, all.inside),
      causes.causes_right, causes.causes_judged, percent(causes.causes_right, causes.causes_judged),
      causes.ambiguous, all.slots_judged == 0 ? 0 : all.slots_right, all.slots_judged,
      percent(all.slots_right, all.slots_judged), cost.runs, cost.worst, cost.worst_kind);

  std::cout
      << "## By kind\n\n"
         "Not applicable: the fault would change nothing that could be seen there, by a "
         "measure of the data (symmetric matrices, too few joints, no bind pose…).\n\n"
         "| kind | detected | silent inside | right cause first | ambiguous | not applicable | "
         "others that spoke |\n|---|---|---|---|---|---|---|\n";
  for (const FaultKind& kind : fault_kinds()) {
    const auto at = bench.board.tallies().find(std::string(kind.id));
    if (at == bench.board.tallies().end()) continue;
    const KindTally& t = at->second;
    std::string others;
    for (const auto& [rule, count] : t.others)
      others += (others.empty() ? "" : ", ") + fmt::format("{} × {}", rule, count);
    const auto of = [](std::size_t part, std::size_t whole) {
      return whole == 0 ? std::string("–") : fmt::format("{} / {}", part, whole);
    };
    std::cout << fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", kind.id, of(t.detected, t.outside),
        of(t.silent, t.inside), of(t.causes_right, t.causes_judged),
        t.causes_judged == 0 ? "–" : std::to_string(t.ambiguous), t.not_applicable, others);
  }

  std::set<std::string> columns;
  for (const auto& [id, tally] : bench.board.tallies()) {
    for (const auto& [cause, count] : tally.causes) columns.insert(cause);
  }
  std::cout << "\n## Confusion matrix: fault put in (rows), cause named first (columns)\n\n"
               "Axis and unit faults are classes of two: which side was converted is not in the "
               "file unless a size or a rest pose tells.\n\n| |";
  std::vector<std::string> order(columns.begin(), columns.end());
  for (const std::string& cause : order) std::cout << ' ' << cause << " |";
  std::cout << "\n|---|";
  for (std::size_t i = 0; i < order.size(); ++i) std::cout << "---|";
  std::cout << '\n';
  for (const FaultKind& kind : fault_kinds()) {
    const auto at = bench.board.tallies().find(std::string(kind.id));
    if (at == bench.board.tallies().end() || at->second.causes_judged == 0) continue;
    std::cout << "| " << kind.id << " |";
    for (const std::string& cause : order) {
      const auto cell = at->second.causes.find(cause);
      if (cell == at->second.causes.end()) {
        std::cout << " |";
        continue;
      }
      const bool right =
          std::find(kind.causes.begin(), kind.causes.end(), cause) != kind.causes.end();
      std::cout << (right ? fmt::format(" **{}** |", cell->second)
                          : fmt::format(" {} |", cell->second));
    }
    std::cout << '\n';
  }

  std::cout << fmt::format(
      "\n## Untouched files\n\n"
      "{} of {} speak at warning or above; they take no faults. The label \"clean\" is where a "
      "file came from, not a verdict: each of these was looked at.\n\n"
      "| file | format | joints | faults put in | warnings and errors as published |\n"
      "|---|---|---|---|---|\n",
      alarms, bench.untouched.size());
  for (const Untouched& row : bench.untouched) {
    std::set<std::string> rules(row.spoke.begin(), row.spoke.end());
    std::string spoke;
    for (const std::string& rule : rules) spoke += (spoke.empty() ? "" : ", ") + rule;
    std::cout << fmt::format("| {} | {} | {} | {} | {} |\n", row.name, row.format, row.joints,
                             row.used ? "yes" : "no", spoke);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  Options& options = bench.options;
  if (const char* corpus = std::getenv("SKINLINT_CORPUS")) options.corpus = corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (argument == "--corpus") {
      options.corpus = value();
    } else if (argument == "--seeds") {
      options.seeds = static_cast<std::uint32_t>(std::max(1, std::atoi(value().c_str())));
    } else if (argument == "--kind") {
      options.only = value();
    } else if (argument == "--list") {
      options.list = true;
    } else {
      options.files.push_back(argument);
    }
  }
  const std::vector<std::pair<std::string, Rig>> rigs = {{"chain", chain_rig(8)},
                                                         {"humanoid", humanoid_rig()},
                                                         {"random 3", random_rig(3)},
                                                         {"random 7", random_rig(7)}};
  for (const auto& [name, rig] : rigs) {
    bench.run({"built " + name + ", glTF", to_asset(rig), true});
    bench.run({"built " + name + ", FBX", to_fbx_asset(rig), true});
  }
  std::vector<std::string> files = options.files;
  if (options.corpus.empty()) {
    std::cerr << "diagnosis: SKINLINT_CORPUS is not set: built rigs and named files alone\n";
  } else {
    const std::vector<std::string> corpus = clean_files(options.corpus);
    if (corpus.empty()) std::cerr << "diagnosis: no manifest.tsv with clean skinned files there\n";
    files.insert(files.end(), corpus.begin(), corpus.end());
  }
  for (const std::string& path : files) {
    Result<Asset> asset = read_asset(path, {});
    if (!asset) {
      std::cerr << "diagnosis: " << file_name(path) << ": " << asset.error().message << '\n';
      continue;
    }
    bench.run({file_name(path), std::move(*asset), false});
  }
  print(bench, cost_of_300_joints());
  return 0;
}
