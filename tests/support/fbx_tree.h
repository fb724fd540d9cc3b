#pragma once
// FBX records as a tree that tests can edit, and its encodings: binary with 32- and 64-bit headers,
// either byte order, plain or zlib arrays, and ASCII.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skinlint::test {

/// "hips\0\1Model" in binary, "Model::hips" in ASCII.
struct FbxName {
  std::string name, class_name;
};
struct FbxRaw {
  std::string bytes;
};

using FbxValue = std::variant<bool, std::int16_t, std::int32_t, std::int64_t, float, double,
                              std::string, FbxName, FbxRaw, std::vector<std::int32_t>,
                              std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

struct FbxRecord {
  std::string name;
  std::vector<FbxValue> values;
  std::vector<FbxRecord> children;

  FbxRecord& add(std::string child, std::vector<FbxValue> child_values = {});
  /// First child of that name; throws std::out_of_range when there is none.
  FbxRecord& at(std::string_view child);
  /// Children of that name.
  std::vector<FbxRecord*> all(std::string_view child);
  /// Removes every child of that name; how many there were.
  std::size_t remove(std::string_view child);
  /// The child "P" of Properties70 with that property name; throws when there is none.
  FbxRecord& property(std::string_view property_name);
};

/// The top level: a nameless record.
using FbxTree = FbxRecord;

struct FbxEncoding {
  std::uint32_t version = 7400;
  bool ascii = false;
  bool big_endian = false;
  bool compress = true;  // arrays of more than 16 values
};

std::vector<std::byte> encode_fbx(const FbxTree& tree, const FbxEncoding& encoding);

}  // namespace skinlint::test
