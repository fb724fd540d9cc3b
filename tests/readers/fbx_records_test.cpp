#include "readers/fbx_records.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>

#include "support/fbx_tree.h"

using namespace skinlint;
using fbx::Children;
using fbx::Record;
using fbx::Records;
using fbx::Value;
using fbx::Values;
using test::FbxEncoding;
using test::FbxTree;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> out(text.size());
  if (!text.empty()) std::memcpy(out.data(), text.data(), text.size());
  return out;
}

const std::string kAsciiHead = "; FBX 7.4.0 project file\n";

Record child(const Records& r, const Record& parent, const char* name) {
  Record out;
  REQUIRE(r.child(parent, name, out));
  return out;
}
Record top(const Records& r, const char* name) {
  Children walk = r.top_level();
  Record out;
  while (walk.next(out)) {
    if (out.name == name) return out;
  }
  FAIL("no top-level record " << name);
  return {};
}

FbxTree every_type() {
  FbxTree tree;
  test::FbxRecord& outer = tree.add("Outer", {std::int64_t{-5'000'000'000}, std::string("a\"b")});
  outer.add("Numbers",
            {std::int16_t{-7}, true, std::int32_t{-70000}, std::int64_t{1} << 40, 0.5f, -2.25});
  outer.add("Name", {test::FbxName{"hips", "Model"}});
  outer.add("Raw", {test::FbxRaw{"{;\"}"}});
  std::vector<double> d;
  std::vector<std::int32_t> i;
  for (int k = 0; k < 250; ++k) {
    d.push_back(k / 3.0);
    i.push_back(k % 4 == 3 ? ~k : k);
  }
  outer.add("Doubles", {d});
  outer.add("Ints", {i});
  outer.add("Longs", {std::vector<std::int64_t>{1, -1, std::int64_t{1} << 50}});
  outer.add("Floats", {std::vector<float>{0.5f, 1.5f}});
  outer.add("Empty", {std::vector<double>{}});
  tree.add("Last");
  return tree;
}

}  // namespace

TEST_CASE("fbx numbers in every spelling", "[readers]") {
  struct Case {
    const char* text;
    double value;
  };
  constexpr double inf = HUGE_VAL;
  const Case c = GENERATE(values<Case>({{"0", 0},
                                        {"-12", -12},
                                        {"+3.5", 3.5},
                                        {".25", .25},
                                        {"1e-3", 1e-3},
                                        {"-1.5E+2", -150},
                                        {"1e400", inf},
                                        {"-1e400", -inf},
                                        {"1e-400", 0},
                                        {"inf", inf},
                                        {"-Infinity", -inf},
                                        {"1.#INF", inf},
                                        {"-1.#INF00", -inf}}));
  CAPTURE(c.text);
  REQUIRE(fbx::parse_number(c.text).has_value());
  CHECK(*fbx::parse_number(c.text) == c.value);
}

TEST_CASE("fbx not-a-number spellings are NaN, other words are no numbers", "[readers]") {
  for (const char* text : {"nan", "NaN", "-nan", "nan(ind)", "-nan(ind)", "1.#QNAN", "-1.#IND",
                           "1.#QNAN0", "-1.#IND00", "snan"}) {
    CAPTURE(text);
    REQUIRE(fbx::parse_number(text).has_value());
    CHECK(std::isnan(*fbx::parse_number(text)));
  }
  for (const char* text : {"", "-", "Y", "abc", "1,5", "1.5x", "*3", "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(fbx::parse_number(text).has_value());
  }
}

TEST_CASE("fbx records read the same in every encoding", "[readers]") {
  FbxEncoding e;
  e.version = GENERATE(7400u, 7500u);
  e.ascii = GENERATE(false, true);
  e.big_endian = GENERATE(false, true);
  e.compress = GENERATE(false, true);
  const std::vector<std::byte> bytes = test::encode_fbx(every_type(), e);
  const Result<Records> opened = Records::open(bytes, {});
  REQUIRE(opened);
  const Records& r = *opened;
  CHECK(r.version() == e.version);
  CHECK(r.binary() == !e.ascii);
  const Record outer = top(r, "Outer");
  CHECK(r.value(outer, 0).as_int64() == -5'000'000'000);
  CHECK(r.value(outer, 1).text == (e.ascii ? "a&quot;b" : "a\"b"));
  CHECK(r.value(outer, 2).kind == Value::Kind::none);
  const Record numbers = child(r, outer, "Numbers");
  const double expected[] = {-7, 1, -70000, 1099511627776.0, 0.5, -2.25};
  for (std::size_t k = 0; k < 6; ++k) CHECK(r.value(numbers, k).as_double() == expected[k]);
  CHECK(r.value(child(r, outer, "Name")).text ==
        (e.ascii ? std::string("Model::hips") : std::string("hips\0\1Model", 11)));
  CHECK(r.value(child(r, outer, "Raw")).text.substr(0, 2) == "{;");

  std::vector<double> d;
  REQUIRE(r.read_doubles(child(r, outer, "Doubles"), d));
  REQUIRE(d.size() == 250);
  CHECK(r.array_length(child(r, outer, "Doubles")) == 250);
  for (int k = 0; k < 250; ++k) REQUIRE(d[static_cast<std::size_t>(k)] == k / 3.0);
  std::vector<std::int32_t> i;
  REQUIRE(r.read_int32(child(r, outer, "Ints"), i));
  REQUIRE(i.size() == 250);
  CHECK(i[3] == ~3);
  CHECK(i[249] == 249);
  std::vector<std::int64_t> l;
  REQUIRE(r.read_int64(child(r, outer, "Longs"), l));
  CHECK(l == std::vector<std::int64_t>{1, -1, std::int64_t{1} << 50});
  REQUIRE(r.read_int32(child(r, outer, "Longs"), i));
  CHECK(i == std::vector<std::int32_t>{1, -1, 2147483647});
  REQUIRE(r.read_doubles(child(r, outer, "Floats"), d));
  CHECK(d == std::vector<double>{0.5, 1.5});
  REQUIRE(r.read_doubles(child(r, outer, "Empty"), d));
  CHECK(d.empty());
  CHECK(r.damage_count() == 0);
}

TEST_CASE("fbx ascii dialects", "[readers]") {
  const std::string text =
      kAsciiHead +
      "Head:  {\r\n\tA: 1 ; a comment with { and \"\r\n\tB:\n\tC: T, Y,\n 2\n}\n"
      "Old: 1,2\n ,3,4,\n5\nUnquoted: OO, Model::a b\n"
      "Text: \"a { } ; b\", \"line\nbreak\"\nLeading: ,\"x\"\n"
      "New: *3 {\n a: 1,\n 2,3\n}\nTight:{X:1}\n";
  const std::vector<std::byte> bytes = bytes_of(text);
  const Result<Records> opened = Records::open(bytes, {});
  // "Model::a b": a word ends at a blank, and what follows is not a record.
  CHECK_FALSE(opened);
  const std::string good =
      text.substr(0, text.find("Model::a b")) + "Model::ab\n" + text.substr(text.find("Text:"));
  const std::vector<std::byte> good_bytes = bytes_of(good);
  const Result<Records> r = Records::open(good_bytes, {});
  REQUIRE(r);
  const Record head = top(*r, "Head");
  CHECK(r->value(child(*r, head, "A")).as_int64() == 1);
  CHECK(r->value(child(*r, head, "B")).kind == Value::Kind::none);
  CHECK(r->value(child(*r, head, "C"), 1).text == "Y");
  CHECK(r->value(child(*r, head, "C"), 2).as_int64() == 2);
  std::vector<double> d;
  REQUIRE(r->read_doubles(top(*r, "Old"), d));
  CHECK(d == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(r->value(top(*r, "Unquoted"), 1).text == "Model::ab");
  CHECK(r->value(top(*r, "Text"), 1).text == "line\nbreak");
  REQUIRE(r->read_doubles(top(*r, "New"), d));
  CHECK(d == std::vector<double>{1, 2, 3});
  CHECK(r->value(child(*r, top(*r, "Tight"), "X")).as_int64() == 1);
  CHECK(r->damage_count() == 0);
}

TEST_CASE("fbx ascii without end names the line", "[readers]") {
  struct Case {
    std::string body;
    const char* line;
    std::uint64_t offset;
  };
  const std::uint64_t h = kAsciiHead.size();
  const std::vector<Case> cases = {{"Objects: {\n Model: 1 {\n", "line 2", h + 9},
                                   {"A: 1\nB: \"never closed\n", "line 3", h + 8},
                                   {"A: 1\n}\n", "line 3", h + 5},
                                   {"A: 1\n,,,{{{", "line 3", h + 10}};
  for (const Case& c : cases) {
    CAPTURE(c.body);
    const std::vector<std::byte> bytes = bytes_of(kAsciiHead + c.body);
    const Result<Records> r = Records::open(bytes, {});
    REQUIRE_FALSE(r);
    CHECK(r.error().kind == ReadError::Kind::malformed);
    if (c.body.find(",,,") == std::string::npos) {
      CHECK(r.error().locator == c.line);
      CHECK(r.error().offset == c.offset);
    }
  }
}

TEST_CASE("fbx binary damage at the top level is an error with its offset", "[readers]") {
  FbxEncoding e;
  e.version = GENERATE(7400u, 7500u);
  const std::vector<std::byte> whole = test::encode_fbx(every_type(), e);
  SECTION("cut anywhere, it is refused or complete, and never read past its end") {
    std::size_t refused = 0;
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::vector<std::byte> cut(whole.begin(),
                                       whole.begin() + static_cast<std::ptrdiff_t>(n));
      const Result<Records> r = Records::open(cut, {});
      if (!r) {
        ++refused;
        CHECK(r.error().offset.value_or(0) <= n);
      }
    }
    // The footer and the empty record before it may be missing; all the rest may not.
    // So may the last record, when the cut is just before it.
    CHECK(refused == whole.size() - 160 - (e.version >= 7500 ? 25 : 13) - 1);
  }
  SECTION("an end offset beyond the file") {
    std::vector<std::byte> bad = whole;
    bad[29] = std::byte{0x7f};
    const Result<Records> r = Records::open(bad, {});
    REQUIRE_FALSE(r);
    CHECK(r.error().kind == ReadError::Kind::malformed);
    CHECK(r.error().offset == 27);
  }
  SECTION("an end offset before the record") {
    std::vector<std::byte> bad = whole;
    bad[27] = std::byte{3};
    bad[28] = bad[29] = bad[30] = std::byte{0};
    const Result<Records> r = Records::open(bad, {});
    REQUIRE_FALSE(r);
    CHECK(r.error().offset == 27);
  }
}

TEST_CASE("fbx arrays that lie are refused without the memory they ask for", "[readers]") {
  FbxTree tree;
  tree.add("Array", {std::vector<double>(100, 1.0)});
  FbxEncoding e;
  e.compress = GENERATE(false, true);
  std::vector<std::byte> bytes = test::encode_fbx(tree, e);
  const std::size_t at = 27 + 13 + 5;  // header, record header, name
  REQUIRE(bytes[at] == std::byte{'d'});
  const auto set = [&](std::size_t field, std::uint32_t v) {
    std::memcpy(bytes.data() + at + 1 + 4 * field, &v, 4);
  };
  const auto read = [&] {
    const Result<Records> r = Records::open(bytes, {});
    REQUIRE(r);
    std::vector<double> out;
    const bool good = r->read_doubles(top(*r, "Array"), out);
    REQUIRE(good == r->damage().empty());
    return good ? std::optional<Repair::Kind>() : r->damage().front().kind;
  };
  REQUIRE_FALSE(read());
  SECTION("too long") {
    set(0, 101);
    CHECK(read() == Repair::Kind::count_mismatch);
  }
  SECTION("too short") {
    set(0, 99);
    CHECK(read() == Repair::Kind::count_mismatch);
  }
  SECTION("absurdly long") {
    set(0, 0xffffffff);
    CHECK(read() == (e.compress ? Repair::Kind::limit : Repair::Kind::count_mismatch));
  }
  SECTION("unknown encoding") {
    set(1, 7);
    CHECK(read() == Repair::Kind::out_of_bounds);
  }
  SECTION("rubbish instead of zlib") {
    if (!e.compress) return;
    bytes[at + 15] ^= std::byte{0xff};
    CHECK(read() == Repair::Kind::decode_failed);
  }
}

TEST_CASE("fbx decoded memory is limited", "[readers]") {
  FbxTree tree;
  tree.add("Array", {std::vector<double>(1000, 0.0)});
  const std::vector<std::byte> bytes = test::encode_fbx(tree, {});
  Limits limits;
  limits.max_decoded_bytes = 8000;
  std::vector<double> out;
  const Result<Records> enough = Records::open(bytes, limits);
  REQUIRE(enough);
  CHECK(enough->read_doubles(top(*enough, "Array"), out));
  limits.max_decoded_bytes = 7999;
  const Result<Records> less = Records::open(bytes, limits);
  REQUIRE(less);
  CHECK_FALSE(less->read_doubles(top(*less, "Array"), out));
  CHECK(less->damage().front().kind == Repair::Kind::limit);
}

TEST_CASE("fbx ascii arrays that disagree with their count are read and noted", "[readers]") {
  const std::vector<std::byte> bytes =
      bytes_of(kAsciiHead + "A: *5 {\n a: 1,2,3\n}\nB: *2 { a: 1,x }\nC: *4294967295 { a: 1 }\n");
  const Result<Records> r = Records::open(bytes, {});
  REQUIRE(r);
  std::vector<double> d;
  CHECK(r->read_doubles(top(*r, "A"), d));
  CHECK(d.size() == 3);
  CHECK_FALSE(r->read_doubles(top(*r, "B"), d));
  CHECK(r->read_doubles(top(*r, "C"), d));
  REQUIRE(r->damage().size() == 3);
  CHECK(r->damage()[0].kind == Repair::Kind::count_mismatch);
  CHECK(r->damage()[1].kind == Repair::Kind::wrong_type);
  CHECK(r->damage()[2].kind == Repair::Kind::count_mismatch);
}

TEST_CASE("fbx depth and number of records cost nothing but their bytes", "[readers]") {
  SECTION("deep ascii") {
    std::string text = kAsciiHead;
    for (int k = 0; k < 200000; ++k) text += "a:{";
    text.append(200000, '}');
    const std::vector<std::byte> bytes = bytes_of(text);
    const Result<Records> r = Records::open(bytes, {});
    REQUIRE(r);
    CHECK(r->top_level_count() == 1);
  }
  SECTION("deep binary") {
    // Each record ends where the outermost does.
    const std::size_t depth = 100000;
    std::vector<std::byte> bytes = test::encode_fbx({}, {});
    bytes.resize(27);
    const auto end = static_cast<std::uint32_t>(27 + depth * 13);
    for (std::size_t k = 0; k < depth; ++k) {
      std::byte head[13] = {};
      std::memcpy(head, &end, 4);
      bytes.insert(bytes.end(), head, head + 13);
    }
    bytes.insert(bytes.end(), 13, std::byte{0});
    const Result<Records> r = Records::open(bytes, {});
    REQUIRE(r);
    CHECK(r->top_level_count() == 1);
  }
  SECTION("many empty binary records") {
    std::vector<std::byte> bytes = test::encode_fbx({}, {});
    bytes.resize(27);
    for (std::uint32_t k = 1; k <= 300000; ++k) {
      std::byte head[13] = {};
      const std::uint32_t end = 27 + k * 13;
      std::memcpy(head, &end, 4);
      bytes.insert(bytes.end(), head, head + 13);
    }
    bytes.insert(bytes.end(), 13, std::byte{0});
    const Result<Records> r = Records::open(bytes, {});
    REQUIRE(r);
    CHECK(r->top_level_count() == 300000);
  }
}

TEST_CASE("fbx content is recognised by its first bytes", "[readers]") {
  CHECK(Records::recognises(test::encode_fbx({}, {})));
  CHECK(Records::recognises(bytes_of("; FBX 6.1.0 project file\n")));
  CHECK(Records::recognises(bytes_of("\xEF\xBB\xBF; FBX 7.4.0 project file\n")));
  CHECK(Records::recognises(bytes_of("\r\nFBXHeaderExtension:  {\n")));
  CHECK_FALSE(Records::recognises(bytes_of("")));
  CHECK_FALSE(Records::recognises(bytes_of("{\"asset\":{}}")));
  CHECK_FALSE(Records::recognises(bytes_of("glTF")));
  CHECK_FALSE(Records::recognises(bytes_of("; a configuration file\n[x]\n")));
}
