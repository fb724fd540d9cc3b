#include "reports/worst_first.h"

#include <catch2/catch.hpp>

using skinlint::WorstFirst;

namespace {

std::vector<std::string> kept(const WorstFirst& store) {
  std::vector<std::string> items;
  store.for_each([&](std::size_t rank, const std::string& item) {
    items.push_back(std::to_string(rank) + item);
  });
  return items;
}

using Items = std::vector<std::string>;

}  // namespace

TEST_CASE("the worst are kept, the first of one rank", "[reports]") {
  WorstFirst store(3, 3, 1000);
  for (const char* item : {"a", "b", "c", "d"}) {
    if (store.takes(1)) store.add(1, item);
  }
  CHECK(kept(store) == Items{"1a", "1b", "1c"});
  CHECK(store.dropped(1) == 1);
  CHECK_FALSE(store.takes(2));
  CHECK(store.dropped(2) == 1);
  CHECK(store.takes(0));
  store.add(0, "x");
  CHECK(kept(store) == Items{"0x", "1a", "1b"});
  CHECK(store.dropped(1) == 2);
  CHECK(store.dropped() == 3);
  CHECK(store.size() == 3);
}

TEST_CASE("bytes are bounded as well as numbers", "[reports]") {
  WorstFirst store(2, 100, 10);
  store.add(1, "12345");
  store.add(1, "67890");
  store.add(0, "abc");
  CHECK(kept(store) == Items{"0abc", "112345"});
  CHECK(store.dropped(1) == 1);
  store.add(0, std::string(11, 'z'));
  CHECK(kept(store) == Items{"0abc"});
  CHECK(store.dropped() == 3);
}

TEST_CASE("a store for nothing takes nothing", "[reports]") {
  WorstFirst store(2, 0, 10);
  CHECK_FALSE(store.takes(0));
  store.add(0, "a");
  CHECK(store.size() == 0);
  CHECK(store.dropped(0) == 2);
}
