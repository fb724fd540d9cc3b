#include "engine/result_codec.h"

#include <cstring>
#include <mutex>
#include <set>
#include <type_traits>

namespace skinlint {
namespace {

/// Texts that results hold as views: they are the rules' own, few and repeated.
std::string_view interned(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto it = known.find(text);
  return it != known.end() ? std::string_view(*it) : std::string_view(*known.emplace(text).first);
}

class Encoder {
 public:
  static constexpr bool reading = false;
  template <typename T>
  void number(T& value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
  }
  void text(std::string& value) { text_view(value); }
  void view(std::string_view& value) { text_view(value); }
  bool ok() const { return true; }
  void fail() {}
  std::string out;

 private:
  void text_view(std::string_view value) {
    auto size = static_cast<std::uint64_t>(value.size());
    number(size);
    out.append(value);
  }
};

class Decoder {
 public:
  static constexpr bool reading = true;
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
  void number(T& value) {
    if (bytes_.size() < sizeof(T)) return fail();
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
  }
  void text(std::string& value) { value = std::string(take()); }
  void view(std::string_view& value) { value = interned(take()); }
  bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    bytes_ = {};
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view take() {
    std::uint64_t size = 0;
    number(size);
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

// describe(): one order of fields for both directions.

template <class A, typename T>
std::enable_if_t<std::is_arithmetic_v<T>> describe(A& a, T& value) {
  a.number(value);
}
template <class A, typename T>
std::enable_if_t<std::is_enum_v<T>> describe(A& a, T& value) {
  auto raw = static_cast<std::int32_t>(value);
  a.number(raw);
  value = static_cast<T>(raw);
}
template <class A>
void describe(A& a, std::string& value) {
  a.text(value);
}
template <class A>
void describe(A& a, std::string_view& value) {
  a.view(value);
}
template <class A>
void describe(A& a, Mat4& m) {
  for (int i = 0; i < 16; ++i) a.number(m.data()[i]);
}

template <class A, typename T>
void describe(A& a, std::vector<T>& values);
template <class A, typename T>
void describe(A& a, std::optional<T>& value);

template <class A>
void describe(A& a, ReportedElement& e) {
  describe(a, e.kind);
  describe(a, e.path);
  describe(a, e.locator);
  describe(a, e.index);
}
template <class A>
void describe(A& a, ElementRef& e) {
  describe(a, e.kind);
  describe(a, e.index);
  describe(a, e.sub);
}
template <class A>
void describe(A& a, Remedy& r) {
  for (std::string_view* text : {&r.symptom, &r.action, &r.maya, &r.max, &r.blender})
    describe(a, *text);
}
template <class A>
void describe(A& a, Measure& m) {
  describe(a, m.name);
  auto kind = static_cast<std::uint8_t>(m.value.index());
  a.number(kind);
  if constexpr (A::reading) {
    if (kind == 0) m.value = 0.0;
    if (kind == 1) m.value = std::int64_t{0};
    if (kind == 2) m.value = std::string();
    if (kind > 2) a.fail();
  }
  std::visit([&a](auto& value) { describe(a, value); }, m.value);
  describe(a, m.unit);
}
template <class A>
void describe(A& a, Sample& s) {
  describe(a, s.index);
  describe(a, s.value);
  describe(a, s.label);
}
template <class A>
void describe(A& a, Cause& c) {
  describe(a, c.id);
  describe(a, c.confidence);
  describe(a, c.residual_before);
  describe(a, c.residual_after);
  describe(a, c.joints);
  describe(a, c.alternatives);
  describe(a, c.text);
  describe(a, c.remedy);
}
template <class A>
void describe(A& a, Finding& f) {
  describe(a, f.rule);
  describe(a, f.severity);
  describe(a, f.element);
  describe(a, f.message);
  describe(a, f.measured);
  describe(a, f.limits);
  describe(a, f.count);
  describe(a, f.samples);
  describe(a, f.sample_of);
  describe(a, f.sample_unit);
  describe(a, f.cause);
  describe(a, f.locator);
}
template <class A>
void describe(A& a, ReportedFinding::Waived& w) {
  describe(a, w.reason);
  describe(a, w.expires);
}
template <class A>
void describe(A& a, ReportedFinding& f) {
  describe(a, f.finding);
  describe(a, f.element);
  describe(a, f.related);
  describe(a, f.remedy);
  describe(a, f.fingerprint);
  describe(a, f.waived);
  describe(a, f.baselined);
  if constexpr (A::reading) {
    const Rule* rule = find_rule(f.finding.rule);
    if (rule == nullptr) return a.fail();
    f.rule = &rule->info;
    f.finding.rule = rule->info.id;
  }
}
template <class A>
void describe(A& a, ReadError& e) {
  describe(a, e.kind);
  describe(a, e.message);
  describe(a, e.offset);
  describe(a, e.locator);
}
template <class A>
void describe(A& a, NotChecked& n) {
  describe(a, n.what);
  describe(a, n.because);
}
template <class A>
void describe(A& a, SkippedCheck& s) {
  describe(a, s.rule);
  describe(a, s.element);
  describe(a, s.because);
}
/// What reports show of it; `joints` is empty in results.
template <class A>
void describe(A& a, BindAnalysis& b) {
  describe(a, b.state);
  describe(a, b.unknown_because);
  describe(a, b.weighted_joints);
  describe(a, b.drifting_joints);
  describe(a, b.placement_joints);
  describe(a, b.consensus);
  describe(a, b.consensus_share);
  describe(a, b.candidate);
  describe(a, b.consensus_from_declared);
  describe(a, b.no_consensus);
  describe(a, b.size);
  describe(a, b.tau);
  describe(a, b.max_displacement);
  describe(a, b.displacement_is_bound);
  describe(a, b.worst_part);
  describe(a, b.worst_vertex);
  describe(a, b.posed_box_ratio);
  describe(a, b.edge_stretch);
  describe(a, b.placement);
}
template <class A>
void describe(A& a, BindingStatistics& s) {
  describe(a, s.mesh_node);
  describe(a, s.skin);
  describe(a, s.vertices);
  describe(a, s.joints);
  describe(a, s.unweighted_vertices);
  describe(a, s.max_influences);
  describe(a, s.weight_sum_min);
  describe(a, s.weight_sum_max);
  describe(a, s.bind);
}
template <class A>
void describe(A& a, FileResult& r) {
  describe(a, r.path);
  describe(a, r.status);
  describe(a, r.error);
  for (std::string* text : {&r.format, &r.version, &r.generator, &r.sha256}) describe(a, *text);
  describe(a, r.bytes);
  describe(a, r.findings);
  describe(a, r.rules);
  describe(a, r.skipped);
  describe(a, r.not_checked);
  describe(a, r.bindings);
  for (std::size_t* count : {&r.skins, &r.meshes, &r.joints}) describe(a, *count);
  describe(a, r.config_path);
  describe(a, r.fail_on);
  describe(a, r.companions);
}

template <class A, typename T>
void describe(A& a, std::vector<T>& values) {
  auto size = static_cast<std::uint64_t>(values.size());
  a.number(size);
  if constexpr (A::reading) {
    // Every element takes a byte at least: a false count must not allocate.
    if (size > a.left()) return a.fail();
    values.resize(size);
  }
  for (T& value : values) {
    if (!a.ok()) return;
    describe(a, value);
  }
}
template <class A, typename T>
void describe(A& a, std::optional<T>& value) {
  std::uint8_t has = value.has_value() ? 1 : 0;
  a.number(has);
  if constexpr (A::reading) {
    if (has > 1) return a.fail();
    if (has == 1) value.emplace();
  }
  if (value) describe(a, *value);
}

}  // namespace

std::string encode_result(const FileResult& result) {
  Encoder encoder;
  // The encoder reads alone; describe() is written once for both directions.
  describe(encoder, const_cast<FileResult&>(result));  // NOLINT(*-const-cast)
  return std::move(encoder.out);
}

std::optional<FileResult> decode_result(std::string_view bytes) {
  Decoder decoder(bytes);
  FileResult result;
  describe(decoder, result);
  if (!decoder.ok() || decoder.left() != 0) return std::nullopt;
  return result;
}

}  // namespace skinlint
