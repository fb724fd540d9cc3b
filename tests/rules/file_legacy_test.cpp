#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "file-legacy";

Asset of_version(const std::string& version, Format format = Format::fbx_binary) {
  Asset asset = fbx_chain();
  asset.version = version;
  asset.format = format;
  asset.encoding = format == Format::fbx_ascii ? "ascii" : "binary";
  return asset;
}
}  // namespace

TEST_CASE("file-legacy: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("file-legacy: an old version, or text", "[rules]") {
  const Finding found = only(of_version("6100"), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::file);
  CHECK(words_of(found, "version") == "6100");
  CHECK(words_of(only(of_version("7400", Format::fbx_ascii), rule), "encoding") == "ascii");
}
TEST_CASE("file-legacy: the limit, just inside and outside", "[rules]") {
  CHECK(silent(of_version("7000"), rule));
  CHECK(severity(of_version("6999"), rule) == Severity::note);
}
TEST_CASE("file-legacy: a parameter changes the outcome", "[rules]") {
  CHECK(silent(of_version("6100"), rule, with_param(rule, "version", 6100)));
}
TEST_CASE("file-legacy: no other rule reports the break", "[rules]") {
  CHECK(reporting(of_version("6100"), Severity::note) == Ids{rule});
}
TEST_CASE("file-legacy: binary FBX of version 7 and any glTF are silent", "[rules]") {
  CHECK(silent(of_version("7700"), rule));
  CHECK(silent(chain_rig(6), rule));
}
