#include "engine/camera_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engine/suggest.h"
#include "model/projection.h"

namespace skinlint {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::string unknown_key(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return "unknown key \"" + key + "\"" + suggestion(key, known);
  }
  return {};
}

std::string read_matrix(const Json& value, const std::string& name, Mat4& out) {
  if (!value.is_array() || value.size() != 16) return name + " is no list of 16 numbers";
  for (Eigen::Index k = 0; k < 16; ++k) {
    const Json& number = value[static_cast<std::size_t>(k)];
    if (!number.is_number()) return name + " is no list of 16 numbers";
    out(k / 4, k % 4) = number.get<double>();
  }
  return out.allFinite() ? std::string() : name + " has a number that is not finite";
}

std::string read_lens(const Json& lens, Mat4& out) {
  if (!lens.is_object()) return "perspective is no object";
  std::string error = unknown_key(lens, {"yfov", "aspect", "znear", "zfar"});
  if (!error.empty()) return error;
  const auto number = [&lens](const char* key) -> std::optional<double> {
    const auto found = lens.find(key);
    if (found == lens.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  };
  for (const char* key : {"yfov", "aspect", "znear"}) {
    if (!number(key)) return "perspective needs the number " + std::string(key);
  }
  const std::optional<Mat4> m =
      perspective(*number("yfov"), *number("aspect"), *number("znear"), number("zfar"));
  if (!m) return "perspective needs 0 < yfov < pi, aspect > 0 and 0 < znear < zfar";
  out = *m;
  return {};
}

}  // namespace

std::string parse_camera(const std::string& text, CameraFile& out) {
  const Json document = Json::parse(text, nullptr, false, true);
  if (document.is_discarded()) return "not JSON";
  if (!document.is_object()) return "no JSON object";
  std::string error = unknown_key(
      document, {"camera_from_world", "world_from_camera", "clip_from_camera", "perspective"});
  if (!error.empty()) return error;
  const auto view = document.find("camera_from_world");
  const auto stand = document.find("world_from_camera");
  const auto projection = document.find("clip_from_camera");
  const auto lens = document.find("perspective");
  const auto end = document.end();
  if (view != end && stand != end) return "camera_from_world and world_from_camera exclude another";
  if ((projection != end) == (lens != end))
    return "one of clip_from_camera and perspective is needed";
  if (view != end) error = read_matrix(*view, "camera_from_world", out.camera_from_world);
  if (stand != end) {
    Mat4 world_from_camera = Mat4::Identity();
    error = read_matrix(*stand, "world_from_camera", world_from_camera);
    if (error.empty()) {
      const std::optional<Mat4> inverse = affine_inverse(world_from_camera);
      if (!inverse) return "world_from_camera is singular";
      out.camera_from_world = *inverse;
    }
  }
  if (!error.empty()) return error;
  return projection != end ? read_matrix(*projection, "clip_from_camera", out.clip_from_camera)
                           : read_lens(*lens, out.clip_from_camera);
}

std::string read_camera(const std::string& path, CameraFile& out) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "cannot be opened";
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxBytes) return "larger than a camera can be";
  return parse_camera(text, out);
}

}  // namespace skinlint
