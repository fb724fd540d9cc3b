#include "readers/assimp_answer.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace skinlint::assimp {
namespace {

constexpr std::string_view magic = "skinlint-assimp 1\n";
constexpr std::string_view end_mark = "\nend\n";

/// Both ends are one program of one machine: numbers travel as they lie in memory.
class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(static_cast<std::uint64_t>(text.size()));
    out_.append(text);
  }
  template <class T>
  void numbers(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(static_cast<std::uint64_t>(values.size()));
    if (!values.empty())
      out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void matrix(const Matrix& m) {
    out_.append(reinterpret_cast<const char*>(m.data()), sizeof(Matrix));
  }
  template <class T, class F>
  void list(const std::vector<T>& items, F write) {
    number(static_cast<std::uint64_t>(items.size()));
    for (const T& item : items) write(*this, item);
  }
  void raw(std::string_view bytes) { out_.append(bytes); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// After the first thing that is wrong everything reads as empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    T value{};
    take(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string text() {
    const std::size_t n = count(1);
    std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return out;
  }
  template <class T>
  std::vector<T> numbers() {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> out(count(sizeof(T)));
    take(reinterpret_cast<char*>(out.data()), out.size() * sizeof(T));
    return out;
  }
  Matrix matrix() {
    Matrix m{};
    take(reinterpret_cast<char*>(m.data()), sizeof m);
    return m;
  }
  /// Each item takes at least `smallest` bytes of the answer.
  template <class T, class F>
  std::vector<T> list(std::size_t smallest, F read) {
    std::vector<T> out;
    const std::size_t n = count(smallest);
    for (std::size_t i = 0; i < n && good_; ++i) out.push_back(read(*this));
    return out;
  }
  bool skip(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) good_ = false;
    rest_.remove_prefix(good_ ? expected.size() : rest_.size());
    return good_;
  }
  void fail() {
    good_ = false;
    rest_ = {};
  }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::size_t count(std::size_t smallest) {
    const auto n = number<std::uint64_t>();
    if (n <= rest_.size() / smallest) return static_cast<std::size_t>(n);
    fail();
    return 0;
  }
  void take(char* out, std::size_t size) {
    if (size > rest_.size()) {
      fail();
      return;
    }
    if (size != 0) std::memcpy(out, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool good_ = true;
};

void write_mesh(Writer& w, const SceneMesh& mesh) {
  w.text(mesh.name);
  w.number(mesh.material);
  w.numbers(mesh.positions);
  w.numbers(mesh.face_sizes);
  w.numbers(mesh.face_corners);
  w.list(mesh.bones, [](Writer& to, const SceneBone& bone) {
    to.text(bone.name);
    to.matrix(bone.offset);
    to.numbers(bone.weights);
  });
  w.list(mesh.shapes, [](Writer& to, const SceneShape& shape) {
    to.text(shape.name);
    to.number(shape.default_weight);
    to.numbers(shape.positions);
  });
}

SceneMesh read_mesh(Reader& r) {
  SceneMesh mesh;
  mesh.name = r.text();
  mesh.material = r.number<std::uint32_t>();
  mesh.positions = r.numbers<float>();
  mesh.face_sizes = r.numbers<std::uint32_t>();
  mesh.face_corners = r.numbers<std::uint32_t>();
  mesh.bones = r.list<SceneBone>(sizeof(Matrix) + 16, [](Reader& from) {
    SceneBone bone;
    bone.name = from.text();
    bone.offset = from.matrix();
    bone.weights = from.numbers<BoneWeight>();
    return bone;
  });
  mesh.shapes = r.list<SceneShape>(20, [](Reader& from) {
    SceneShape shape;
    shape.name = from.text();
    shape.default_weight = from.number<float>();
    shape.positions = from.numbers<float>();
    return shape;
  });
  if (mesh.positions.size() % 3 != 0) r.fail();
  std::uint64_t corners = 0;
  for (const std::uint32_t size : mesh.face_sizes) corners += size;
  if (corners != mesh.face_corners.size()) r.fail();
  for (const SceneShape& shape : mesh.shapes) {
    if (!shape.positions.empty() && shape.positions.size() != mesh.positions.size()) r.fail();
  }
  return mesh;
}

void write_clip(Writer& w, const SceneClip& clip) {
  w.text(clip.name);
  w.number(clip.duration);
  w.number(clip.ticks_per_second);
  w.list(clip.channels, [](Writer& to, const SceneChannel& channel) {
    to.text(channel.node);
    to.numbers(channel.position_times);
    to.numbers(channel.positions);
    to.numbers(channel.rotation_times);
    to.numbers(channel.rotations);
    to.numbers(channel.scale_times);
    to.numbers(channel.scales);
  });
}

SceneClip read_clip(Reader& r) {
  SceneClip clip;
  clip.name = r.text();
  clip.duration = r.number<double>();
  clip.ticks_per_second = r.number<double>();
  clip.channels = r.list<SceneChannel>(56, [](Reader& from) {
    SceneChannel channel;
    channel.node = from.text();
    channel.position_times = from.numbers<double>();
    channel.positions = from.numbers<float>();
    channel.rotation_times = from.numbers<double>();
    channel.rotations = from.numbers<float>();
    channel.scale_times = from.numbers<double>();
    channel.scales = from.numbers<float>();
    if (channel.positions.size() != 3 * channel.position_times.size() ||
        channel.rotations.size() != 4 * channel.rotation_times.size() ||
        channel.scales.size() != 3 * channel.scale_times.size()) {
      from.fail();
    }
    return channel;
  });
  return clip;
}

bool structure_holds(const Answer& answer) {
  for (std::size_t i = 0; i < answer.nodes.size(); ++i) {
    const SceneNode& node = answer.nodes[i];
    const bool root = i == 0;
    if (root ? node.parent != -1 : node.parent < 0) return false;
    if (!root && static_cast<std::size_t>(node.parent) >= i) return false;
    for (const std::uint32_t mesh : node.meshes) {
      if (mesh >= answer.meshes.size()) return false;
    }
  }
  return true;
}

}  // namespace

std::string encode_answer(const Answer& answer) {
  Writer w;
  w.raw(magic);
  w.text(answer.version);
  w.number(static_cast<std::uint8_t>(answer.outcome));
  w.text(answer.message);
  w.number(static_cast<std::uint8_t>(answer.incomplete));
  w.text(answer.generator);
  w.text(answer.format_version);
  w.list(answer.companions, [](Writer& to, const std::string& name) { to.text(name); });
  w.list(answer.nodes, [](Writer& to, const SceneNode& node) {
    to.text(node.name);
    to.number(node.parent);
    to.matrix(node.parent_from_node);
    to.numbers(node.meshes);
  });
  w.list(answer.meshes, write_mesh);
  w.list(answer.clips, write_clip);
  w.raw(end_mark);
  return w.take();
}

Result<Answer, std::string> decode_answer(std::string_view bytes) {
  Reader r(bytes);
  if (!r.skip(magic)) return std::string("the answer does not begin as one");
  Answer answer;
  answer.version = r.text();
  const auto outcome = r.number<std::uint8_t>();
  answer.message = r.text();
  answer.incomplete = r.number<std::uint8_t>() != 0;
  answer.generator = r.text();
  answer.format_version = r.text();
  answer.companions = r.list<std::string>(8, [](Reader& from) { return from.text(); });
  answer.nodes = r.list<SceneNode>(8 + 4 + sizeof(Matrix) + 8, [](Reader& from) {
    SceneNode node;
    node.name = from.text();
    node.parent = from.number<std::int32_t>();
    node.parent_from_node = from.matrix();
    node.meshes = from.numbers<std::uint32_t>();
    return node;
  });
  answer.meshes = r.list<SceneMesh>(52, read_mesh);
  answer.clips = r.list<SceneClip>(32, read_clip);
  if (!r.skip(end_mark) || !r.at_end()) return std::string("the answer is cut off or damaged");
  if (outcome > static_cast<std::uint8_t>(Answer::Outcome::over_memory))
    return std::string("the answer names no known outcome");
  answer.outcome = static_cast<Answer::Outcome>(outcome);
  if (!structure_holds(answer)) return std::string("the answer's node tree does not hold");
  return answer;
}

}  // namespace skinlint::assimp
