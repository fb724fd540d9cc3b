// skinlint-assimp: imports one file with Assimp and tells what it saw. A program of its own,
// because Assimp crashes, hangs and eats memory on files that are broken or merely unusual; the
// tool starts it anew for each file (assimp_process.h) and takes whatever comes of it as a result.
//
//   skinlint-assimp FILE EXTENSION MEMORY_MIB CPU_SECONDS WHOLE OUTSIDE
//
// writes an answer (assimp_answer.h) to file descriptor 3. EXTENSION is the format's, whatever the
// file's name. WHOLE 1: clips and shapes too. OUTSIDE 1: may open files outside the file's folder.

#include <assimp/DefaultIOSystem.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "readers/assimp_answer.h"

namespace skinlint::assimp {
namespace {

namespace fs = std::filesystem;

constexpr int answer_fd = 3;

std::string library_version() {
  return std::to_string(aiGetVersionMajor()) + "." + std::to_string(aiGetVersionMinor()) + "." +
         std::to_string(aiGetVersionPatch());
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(answer_fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Made before the import: when memory is gone there is none to make it from.
std::string& over_memory_answer() {
  static std::string bytes;
  return bytes;
}

[[noreturn]] void tell_over_memory() {
  write_all(over_memory_answer());
  ::_exit(0);
}

void set_limit(int resource, rlim_t wanted) {
  struct rlimit limit {};
  ::getrlimit(resource, &limit);
  limit.rlim_cur =
      limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
  ::setrlimit(resource, &limit);
}

/// Shows the file under its format's extension, keeps every other file to its folder, and notes
/// which were asked for.
class FolderIo final : public Assimp::DefaultIOSystem {
 public:
  FolderIo(std::string file, std::string shown, bool outside)
      : file_(std::move(file)), shown_(std::move(shown)), outside_(outside) {
    std::error_code error;
    const fs::path parent = fs::path(file_).parent_path();
    folder_ = fs::weakly_canonical(parent.empty() ? fs::path(".") : parent, error);
  }

  bool Exists(const char* path) const override {
    if (path == shown_) return true;
    return note(path) && DefaultIOSystem::Exists(path);
  }
  Assimp::IOStream* Open(const char* path, const char* mode) override {
    if (std::strpbrk(mode, "wa+") != nullptr) return nullptr;
    if (path == shown_) return DefaultIOSystem::Open(file_.c_str(), mode);
    return note(path) ? DefaultIOSystem::Open(path, mode) : nullptr;
  }

  std::vector<std::string> companions() const { return {names_.begin(), names_.end()}; }

 private:
  bool note(const char* path) const {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::path(path), error);
    const fs::path relative = place.lexically_relative(folder_);
    if (error || relative.empty()) return false;
    const bool inside = relative.begin()->string() != "..";
    if (!inside && !outside_) return false;
    if (names_.size() < 1000) names_.insert(relative.generic_string());
    return true;
  }

  std::string file_, shown_;
  bool outside_;
  fs::path folder_;
  mutable std::set<std::string> names_;
};

std::string text_of(const aiString& text) {
  return {text.data, std::min<std::size_t>(text.length, sizeof text.data)};
}

Matrix matrix_of(const aiMatrix4x4& m) {
  return {m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4,
          m.c1, m.c2, m.c3, m.c4, m.d1, m.d2, m.d3, m.d4};
}

void append(std::vector<float>& out, const aiVector3D& v) {
  out.insert(out.end(), {v.x, v.y, v.z});
}

std::vector<float> vectors(const aiVector3D* values, unsigned n) {
  std::vector<float> out;
  if (values == nullptr) return out;
  out.reserve(std::size_t{3} * n);
  for (unsigned i = 0; i < n; ++i) append(out, values[i]);
  return out;
}

SceneMesh mesh_of(const aiMesh& mesh, bool whole) {
  SceneMesh out;
  out.name = text_of(mesh.mName);
  out.material = mesh.mMaterialIndex;
  out.positions = vectors(mesh.mVertices, mesh.mNumVertices);
  for (unsigned f = 0; mesh.mFaces != nullptr && f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    out.face_sizes.push_back(face.mNumIndices);
    out.face_corners.insert(out.face_corners.end(), face.mIndices,
                            face.mIndices + face.mNumIndices);
  }
  for (unsigned b = 0; mesh.mBones != nullptr && b < mesh.mNumBones; ++b) {
    const aiBone& bone = *mesh.mBones[b];
    SceneBone& copy = out.bones.emplace_back();
    copy.name = text_of(bone.mName);
    copy.offset = matrix_of(bone.mOffsetMatrix);
    for (unsigned w = 0; bone.mWeights != nullptr && w < bone.mNumWeights; ++w)
      copy.weights.push_back({bone.mWeights[w].mVertexId, bone.mWeights[w].mWeight});
  }
  for (unsigned s = 0; whole && mesh.mAnimMeshes != nullptr && s < mesh.mNumAnimMeshes; ++s) {
    const aiAnimMesh& shape = *mesh.mAnimMeshes[s];
    SceneShape& copy = out.shapes.emplace_back();
    copy.name = text_of(shape.mName);
    copy.default_weight = shape.mWeight;
    if (shape.mNumVertices == mesh.mNumVertices)
      copy.positions = vectors(shape.mVertices, shape.mNumVertices);
  }
  return out;
}

/// Breadth first, without recursion: node chains may be as deep as a file likes.
void copy_nodes(const aiNode& root, std::size_t meshes, std::vector<SceneNode>& out) {
  std::vector<std::pair<const aiNode*, std::int32_t>> queue = {{&root, -1}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [node, parent] = queue[i];
    SceneNode& copy = out.emplace_back();
    copy.name = text_of(node->mName);
    copy.parent = parent;
    copy.parent_from_node = matrix_of(node->mTransformation);
    for (unsigned m = 0; m < node->mNumMeshes; ++m) {
      if (node->mMeshes[m] < meshes) copy.meshes.push_back(node->mMeshes[m]);
    }
    for (unsigned c = 0; c < node->mNumChildren; ++c)
      queue.emplace_back(node->mChildren[c], static_cast<std::int32_t>(i));
  }
}

SceneClip clip_of(const aiAnimation& clip) {
  SceneClip out;
  out.name = text_of(clip.mName);
  out.duration = clip.mDuration;
  out.ticks_per_second = clip.mTicksPerSecond;
  for (unsigned c = 0; c < clip.mNumChannels; ++c) {
    const aiNodeAnim& channel = *clip.mChannels[c];
    SceneChannel& copy = out.channels.emplace_back();
    copy.node = text_of(channel.mNodeName);
    for (unsigned k = 0; k < channel.mNumPositionKeys; ++k) {
      copy.position_times.push_back(channel.mPositionKeys[k].mTime);
      append(copy.positions, channel.mPositionKeys[k].mValue);
    }
    for (unsigned k = 0; k < channel.mNumRotationKeys; ++k) {
      const aiQuaternion& q = channel.mRotationKeys[k].mValue;
      copy.rotation_times.push_back(channel.mRotationKeys[k].mTime);
      copy.rotations.insert(copy.rotations.end(), {q.x, q.y, q.z, q.w});
    }
    for (unsigned k = 0; k < channel.mNumScalingKeys; ++k) {
      copy.scale_times.push_back(channel.mScalingKeys[k].mTime);
      append(copy.scales, channel.mScalingKeys[k].mValue);
    }
  }
  return out;
}

std::string metadata(const aiScene& scene, const char* key) {
  aiString value;
  return scene.mMetaData != nullptr && scene.mMetaData->Get(key, value) ? text_of(value)
                                                                        : std::string();
}

void copy_scene(const aiScene& scene, bool whole, Answer& answer) {
  answer.outcome = Answer::Outcome::imported;
  answer.incomplete = (scene.mFlags & AI_SCENE_FLAGS_INCOMPLETE) != 0U;
  answer.generator = metadata(scene, "SourceAsset_Generator");
  answer.format_version = metadata(scene, "SourceAsset_FormatVersion");
  if (scene.mRootNode != nullptr) copy_nodes(*scene.mRootNode, scene.mNumMeshes, answer.nodes);
  for (unsigned m = 0; m < scene.mNumMeshes; ++m)
    answer.meshes.push_back(mesh_of(*scene.mMeshes[m], whole));
  for (unsigned a = 0; whole && a < scene.mNumAnimations; ++a)
    answer.clips.push_back(clip_of(*scene.mAnimations[a]));
}

int run(const std::vector<std::string>& args) {
  const std::string& file = args[0];
  const auto memory_mib = std::strtoull(args[2].c_str(), nullptr, 10);
  const auto cpu_seconds = std::strtoull(args[3].c_str(), nullptr, 10);
  const bool whole = args[4] == "1";

  Answer answer;
  answer.version = library_version();
  answer.outcome = Answer::Outcome::over_memory;
  over_memory_answer() = encode_answer(answer);
  std::set_new_handler(tell_over_memory);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CORE, 0);
  // The usual stack, whatever the caller's: a deep file is judged alike everywhere.
  set_limit(RLIMIT_STACK, rlim_t{8} << 20);
  if (memory_mib > 0) set_limit(RLIMIT_AS, static_cast<rlim_t>(memory_mib) << 20);
  if (cpu_seconds > 0) set_limit(RLIMIT_CPU, static_cast<rlim_t>(cpu_seconds));

  answer.outcome = Answer::Outcome::refused;
  const fs::path path(file);
  const std::string ending = "." + args[1];
  const bool named_so = file.size() > ending.size() &&
                        file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
  const std::string shown =
      named_so ? file : (path.parent_path() / (path.stem().string() + ending)).string();
  Assimp::Importer importer;
  auto* io = new FolderIo(file, shown, args[5] == "1");
  importer.SetIOHandler(io);  // takes it
  // Assimp turns exceptions into messages; what slips through is a refusal as well.
  try {
    const aiScene* scene = importer.ReadFile(shown, 0);
    if (scene != nullptr) {
      copy_scene(*scene, whole, answer);
    } else {
      answer.message = importer.GetErrorString();
    }
  } catch (const std::exception& e) {
    answer.message = e.what();
  }
  answer.companions = io->companions();
  // Told before the scene is released: some scenes crash only then.
  const bool told = write_all(encode_answer(answer));
  importer.FreeScene();
  return told ? 0 : 1;
}

}  // namespace
}  // namespace skinlint::assimp

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  return skinlint::assimp::run(std::vector<std::string>(argv + 1, argv + argc));
}
