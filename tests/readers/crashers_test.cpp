// Inputs that once broke the reader, kept in tests/fuzz/crashers/<target>/, and what the targets
// make of ordinary input.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/reader_targets.h"
#include "readers/document_builder.h"

namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};
constexpr Target targets[] = {{"document", skinlint::fuzz::document},
                              {"glb", skinlint::fuzz::glb},
                              {"accessor", skinlint::fuzz::accessor},
                              {"compression", skinlint::fuzz::compression},
                              {"answer", skinlint::fuzz::answer}};

}  // namespace

TEST_CASE("inputs that once broke the reader no longer do", "[readers]") {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(SKINLINT_SOURCE_DIR) / "tests" / "fuzz" / "crashers";
  for (const Target& target : targets) {
    if (!fs::exists(root / target.name)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(root / target.name)) {
      if (file.path().extension() == ".md") continue;
      INFO(file.path().filename().string());
      std::ifstream in(file.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), {});
      CHECK(target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) == 0);
    }
  }
}

TEST_CASE("the fuzz targets take random input", "[readers]") {
  std::mt19937 random(11);
  for (const Target& target : targets) {
    for (int round = 0; round < 300; ++round) {
      std::vector<std::uint8_t> bytes(random() % 200);
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
      CHECK(target.run(bytes.data(), bytes.size()) == 0);
    }
  }
}
