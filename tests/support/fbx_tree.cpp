#include "support/fbx_tree.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace skinlint::test {

FbxRecord& FbxRecord::add(std::string child, std::vector<FbxValue> child_values) {
  children.push_back({std::move(child), std::move(child_values), {}});
  return children.back();
}

FbxRecord& FbxRecord::at(std::string_view child) {
  for (FbxRecord& c : children) {
    if (c.name == child) return c;
  }
  throw std::out_of_range("no FBX record " + std::string(child));
}

std::vector<FbxRecord*> FbxRecord::all(std::string_view child) {
  std::vector<FbxRecord*> found;
  for (FbxRecord& c : children) {
    if (c.name == child) found.push_back(&c);
  }
  return found;
}

std::size_t FbxRecord::remove(std::string_view child) {
  const std::size_t before = children.size();
  children.erase(std::remove_if(children.begin(), children.end(),
                                [&](const FbxRecord& c) { return c.name == child; }),
                 children.end());
  return before - children.size();
}

FbxRecord& FbxRecord::property(std::string_view property_name) {
  for (FbxRecord& p : at("Properties70").children) {
    const auto* text = std::get_if<std::string>(&p.values.at(0));
    if (text != nullptr && *text == property_name) return p;
  }
  throw std::out_of_range("no FBX property " + std::string(property_name));
}

namespace {

class BinaryEncoder {
 public:
  explicit BinaryEncoder(const FbxEncoding& encoding)
      : encoding_(encoding), wide_(encoding.version >= 7500) {}

  std::vector<std::byte> encode(const FbxTree& tree) {
    text("Kaydara FBX Binary  ");
    out_.push_back(std::byte{0});
    out_.push_back(std::byte{0x1a});
    out_.push_back(std::byte{encoding_.big_endian});
    number(encoding_.version);
    for (const FbxRecord& r : tree.children) record(r);
    out_.insert(out_.end(), head(), std::byte{0});
    out_.insert(out_.end(), 160, std::byte{0x7e});  // where the SDK writes its footer
    return std::move(out_);
  }

 private:
  std::size_t head() const { return wide_ ? 25 : 13; }

  void text(std::string_view s) {
    for (const char c : s) out_.push_back(static_cast<std::byte>(c));
  }
  template <class T>
  void number(T value) {
    std::byte raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (encoding_.big_endian) std::reverse(raw, raw + sizeof(T));
    out_.insert(out_.end(), raw, raw + sizeof(T));
  }
  void size(std::uint64_t value) {
    if (wide_) {
      number(value);
    } else {
      number(static_cast<std::uint32_t>(value));
    }
  }

  void record(const FbxRecord& r) {
    const std::size_t start = out_.size();
    const std::size_t width = wide_ ? 8 : 4;
    size(0);
    size(r.values.size());
    size(0);
    number(static_cast<std::uint8_t>(r.name.size()));
    text(r.name);
    const std::size_t values_start = out_.size();
    for (const FbxValue& v : r.values) value(v);
    patch(start + 2 * width, out_.size() - values_start);
    if (!r.children.empty()) {
      for (const FbxRecord& c : r.children) record(c);
      out_.insert(out_.end(), head(), std::byte{0});
    }
    patch(start, out_.size());
  }
  void patch(std::size_t at, std::uint64_t value) {
    const std::size_t end = out_.size();
    size(value);
    const std::size_t width = out_.size() - end;
    std::copy(out_.begin() + static_cast<std::ptrdiff_t>(end), out_.end(),
              out_.begin() + static_cast<std::ptrdiff_t>(at));
    out_.resize(out_.size() - width);
  }

  void letter(char c) { out_.push_back(static_cast<std::byte>(c)); }
  void string(char code, std::string_view s) {
    letter(code);
    number(static_cast<std::uint32_t>(s.size()));
    text(s);
  }
  template <class T>
  void array(char code, const std::vector<T>& v) {
    letter(code);
    number(static_cast<std::uint32_t>(v.size()));
    std::vector<std::byte> raw(v.size() * sizeof(T));
    for (std::size_t k = 0; k < v.size(); ++k) {
      std::memcpy(raw.data() + k * sizeof(T), &v[k], sizeof(T));
      if (encoding_.big_endian) {
        const auto at = raw.begin() + static_cast<std::ptrdiff_t>(k * sizeof(T));
        std::reverse(at, at + sizeof(T));
      }
    }
    if (!encoding_.compress || v.size() <= 16) {
      number(std::uint32_t{0});
      number(static_cast<std::uint32_t>(raw.size()));
      out_.insert(out_.end(), raw.begin(), raw.end());
      return;
    }
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
    std::vector<std::byte> packed(libdeflate_zlib_compress_bound(compressor, raw.size()));
    packed.resize(
        libdeflate_zlib_compress(compressor, raw.data(), raw.size(), packed.data(), packed.size()));
    libdeflate_free_compressor(compressor);
    number(std::uint32_t{1});
    number(static_cast<std::uint32_t>(packed.size()));
    out_.insert(out_.end(), packed.begin(), packed.end());
  }

  void value(const FbxValue& v) {
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, bool>) {
            letter('C');
            out_.push_back(std::byte{x});
          } else if constexpr (std::is_same_v<T, std::int16_t>) {
            letter('Y');
            number(x);
          } else if constexpr (std::is_same_v<T, std::int32_t>) {
            letter('I');
            number(x);
          } else if constexpr (std::is_same_v<T, std::int64_t>) {
            letter('L');
            number(x);
          } else if constexpr (std::is_same_v<T, float>) {
            letter('F');
            number(x);
          } else if constexpr (std::is_same_v<T, double>) {
            letter('D');
            number(x);
          } else if constexpr (std::is_same_v<T, std::string>) {
            string('S', x);
          } else if constexpr (std::is_same_v<T, FbxName>) {
            string('S', x.name + std::string("\0\1", 2) + x.class_name);
          } else if constexpr (std::is_same_v<T, FbxRaw>) {
            string('R', x.bytes);
          } else if constexpr (std::is_same_v<T, std::vector<std::int32_t>>) {
            array('i', x);
          } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
            array('l', x);
          } else if constexpr (std::is_same_v<T, std::vector<float>>) {
            array('f', x);
          } else {
            array('d', x);
          }
        },
        v);
  }

  const FbxEncoding& encoding_;
  bool wide_;
  std::vector<std::byte> out_;
};

class AsciiEncoder {
 public:
  std::vector<std::byte> encode(const FbxTree& tree, std::uint32_t version) {
    out_ = fmt::format("; FBX {}.{}.0 project file\n; made by a test\n\n", version / 1000,
                       version / 100 % 10);
    for (const FbxRecord& r : tree.children) record(r, 0);
    std::vector<std::byte> bytes(out_.size());
    std::memcpy(bytes.data(), out_.data(), out_.size());
    return bytes;
  }

 private:
  static std::string real(double d) {
    if (std::isnan(d)) return std::signbit(d) ? "-1.#IND" : "1.#QNAN";  // as the SDK on Windows
    if (std::isinf(d)) return d < 0 ? "-1.#INF" : "1.#INF";
    return fmt::format("{:.17g}", d);
  }
  static std::string quoted(std::string s) {
    for (std::size_t at = s.find('"'); at != s.npos; at = s.find('"', at)) {
      s.replace(at, 1, "&quot;");
    }
    return '"' + s + '"';
  }
  template <class T>
  static std::string item(const T& x) {
    if constexpr (std::is_floating_point_v<T>) {
      return real(static_cast<double>(x));
    } else {
      return fmt::format("{}", x);
    }
  }

  void record(const FbxRecord& r, std::size_t depth) {
    const std::string indent(depth, '\t');
    out_ += indent + r.name + ": ";
    bool first = true;
    const bool body = !r.children.empty();
    for (const FbxValue& v : r.values) {
      if (!first) out_ += ", ";
      first = false;
      std::visit(
          [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, bool>) {
              out_ += x ? "1" : "0";
            } else if constexpr (std::is_same_v<T, std::string>) {
              out_ += quoted(x);
            } else if constexpr (std::is_same_v<T, FbxName>) {
              out_ += quoted(x.class_name + "::" + x.name);
            } else if constexpr (std::is_same_v<T, FbxRaw>) {
              out_ += quoted(x.bytes);
            } else if constexpr (std::is_arithmetic_v<T>) {
              out_ += item(x);
            } else {
              out_ += fmt::format("*{} {{\n{}\ta: ", x.size(), indent);
              for (std::size_t k = 0; k < x.size(); ++k) {
                // Long arrays run over lines, the comma first, as the SDK writes them.
                if (k != 0) out_ += k % 100 == 0 ? "\n," : ",";
                out_ += item(x[k]);
              }
              out_ += "\n" + indent + "} ";
            }
          },
          v);
    }
    if (body) {
      out_ += " {\n";
      for (const FbxRecord& c : r.children) record(c, depth + 1);
      out_ += indent + "}";
    }
    out_ += "\n";
  }

  std::string out_;
};

}  // namespace

std::vector<std::byte> encode_fbx(const FbxTree& tree, const FbxEncoding& encoding) {
  if (encoding.ascii) return AsciiEncoder().encode(tree, encoding.version);
  return BinaryEncoder(encoding).encode(tree);
}

}  // namespace skinlint::test
