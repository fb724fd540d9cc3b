#include "engine/cache.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "engine/result_codec.h"
#include "support/gltf_writer.h"

using namespace skinlint;
using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

struct Place {
  Place() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Place() { fs::remove_all(path); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  fs::path path = fs::temp_directory_path() / ("skinlint_cache_" + std::to_string(::getpid()));

  std::string put(const std::string& name, const std::vector<std::byte>& bytes) const {
    const fs::path file = path / name;
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    // Older than the clock's grain, as files of a pipeline are.
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    return file.string();
  }
  std::shared_ptr<ResultCache> cache() const {
    return ResultCache::open((path / "cache").string()).value();
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path / "cache")) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }
};

Rig broken() {
  Rig rig = chain_rig();
  rig.meshes[0].parts[0].influences[3] = {{0, -0.5}, {1, 1.5}};
  return rig;
}
std::shared_ptr<const CheckConfig> plain() { return std::make_shared<const CheckConfig>(); }
/// Bytes of a result, so that all of it is compared.
std::string fresh(const std::string& path, const CheckConfig& config = {}) {
  return encode_result(check_file(path, config));
}
std::string kept(const Place& place, const std::string& path,
                 const std::shared_ptr<const CheckConfig>& config = plain()) {
  return encode_result(place.cache()->check({path, config}));
}

}  // namespace

TEST_CASE("a kept result is the result", "[engine]") {
  const Place place;
  const std::string file = place.put("a.glb", write_glb(broken()));
  const std::string result = fresh(file);
  CHECK((kept(place, file) == result));
  CHECK_FALSE(place.entries().empty());
  CHECK((kept(place, file) == result));
}

TEST_CASE("changed content is checked again, whatever its time and size", "[engine]") {
  const Place place;
  const std::string file = place.put("a.glb", write_glb(broken()));
  kept(place, file);
  Rig other = broken();
  other.meshes[0].parts[0].influences[3] = {{0, 0.5}, {1, 0.5}};
  place.put("a.glb", write_glb(other));
  CHECK((kept(place, file) == fresh(file)));
  // The same content at another place, or touched, is known; paths are its own.
  const std::string moved = place.put("b.glb", write_glb(other));
  CHECK((kept(place, moved) == fresh(moved)));
}

TEST_CASE("another configuration is another result", "[engine]") {
  const Place place;
  const std::string file = place.put("a.glb", write_glb(broken()));
  kept(place, file);
  auto config = std::make_shared<CheckConfig>();
  config->ignore = {"weights-negative"};
  CHECK((kept(place, file, config) == fresh(file, *config)));
  std::vector<CheckConfig> configs(7);
  configs[1].max_samples = 9;
  configs[2].params["weights-sum"]["note"] = 0.5;
  configs[3].severities["weights-sum"] = Severity::note;
  configs[4].select = {"weights-sum"};
  configs[5].ignore = {"weights-sum"};
  configs[6].zero_weight = ZeroWeightPolicy::Kind::fallback;
  for (std::size_t i = 0; i < configs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(config_key(configs[i]) != config_key(configs[j]));
}

TEST_CASE("a changed companion is a change", "[engine]") {
  const Place place;
  const GltfFiles files = write_gltf(broken(), {}, BufferPlace::file, "a.bin");
  const std::string file = place.put("a.gltf", files.gltf);
  place.put("a.bin", files.bin);
  CHECK((kept(place, file) == fresh(file)));
  std::vector<std::byte> changed = files.bin;
  for (std::size_t i = 0; i < 24; ++i) changed[i] = std::byte{0};
  place.put("a.bin", changed);
  CHECK((kept(place, file) == fresh(file)));
  fs::remove(place.path / "a.bin");
  CHECK((kept(place, file) == fresh(file)));
}

TEST_CASE("damaged entries are made anew", "[engine]") {
  const Place place;
  const std::string file = place.put("a.glb", write_glb(broken()));
  const std::string result = fresh(file);
  kept(place, file);
  const std::vector<fs::path> entries = place.entries();
  for (const fs::path& entry : entries) {
    std::ifstream in(entry, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const std::size_t size : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
      std::ofstream(entry, std::ios::binary) << whole.substr(0, size);
      CHECK((kept(place, file) == result));
    }
    std::string flipped = whole;
    flipped[whole.size() - 3] = static_cast<char>(flipped[whole.size() - 3] ^ 1);
    std::ofstream(entry, std::ios::binary) << flipped;
    CHECK((kept(place, file) == result));
  }
  CHECK((kept(place, file) == result));
}

TEST_CASE("several threads share a cache", "[engine]") {
  const Place place;
  std::vector<std::string> files;
  for (int i = 0; i < 6; ++i)
    files.push_back(place.put("f" + std::to_string(i) + ".glb", write_glb(chain_rig(3 + i))));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto cache = place.cache();
      for (const std::string& file : files) {
        if (encode_result(cache->check({file, plain()})) != fresh(file)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a cache that cannot be is an error", "[engine]") {
  const Place place;
  const std::string file = place.put("file", {});
  CHECK_FALSE(ResultCache::open(file).has_value());
  CHECK_FALSE(ResultCache::open(file + "/below").has_value());
}
