#pragma once
// Asset: what a skinned file is, in one canonical form (docs/model.md). Right-handed, +Y up, +Z
// front, metres, unless read with Space::file. Immutable after the read.
//
// Invariants, checked by check_invariants() after every read in debug builds, tests and fuzzers:
// I1 parents precede children in `nodes`, no cycles; the file's own id stays with the node
// I2 every index is in range or -1
// I3 streams of one mesh part have equal length (those that do not are marked unreadable with a
// Repair,
//    except influence sets, which are kept as declared for the rules)
// I4 influences are kept as stored   I5 every element has a path and a locator
// I6 whatever a reader changed or could not read is a Repair or a NotChecked entry

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/element.h"
#include "model/fbx_curve.h"
#include "model/fbx_transform.h"
#include "model/influences.h"
#include "model/math.h"
#include "model/stream.h"

namespace skinlint {

/// `imported`: read by a library that shows only part of what such a file holds (reduced evidence);
/// the format's name is in Asset::imported_format.
enum class Format : std::uint8_t { gltf, glb, fbx_binary, fbx_ascii, imported };
std::string_view format_name(Format format);  // "gltf", "glb", "fbx", "fbx", "imported"
inline bool is_gltf(Format f) { return f == Format::gltf || f == Format::glb; }
/// Records of its own for the bind (clusters, bind poses) and Euler angles between pivots; every
/// other format gives joints, inverse bind matrices and plain transforms.
inline bool is_fbx(Format f) { return f == Format::fbx_binary || f == Format::fbx_ascii; }

enum class Space : std::uint8_t { canonical, file };

/// A node's local transform as the file declares it. `rotation` is not normalised. glTF only: FBX
/// nodes carry FbxTransform beside it.
struct LocalTransform {
  bool has_matrix = false;  // the file stores a matrix; then t, r, s are unset
  Vec3 translation = Vec3::Zero();
  Vec4 rotation = Vec4(0, 0, 0, 1);  // x y z w as stored
  Vec3 scale = Vec3::Ones();
  Mat4 matrix = Mat4::Identity();  // as stored, when has_matrix
};

struct Node {
  std::string name;     // as in the file; may be empty or repeat
  std::int64_t id = 0;  // glTF node index, FBX object id
  std::int32_t parent = -1;
  std::vector<std::int32_t> children;
  LocalTransform local;
  Mat4 parent_from_node = Mat4::Identity();
  std::int32_t mesh = -1;  // Asset::meshes
  std::int32_t skin = -1;  // Asset::skins; glTF: as declared
  bool is_joint = false;   // some skin lists it
  /// FBX: the type of the node's attribute or, without one, of the model: "LimbNode", "Limb",
  /// "Root", "Null", "Mesh"...
  std::string attribute;
  std::optional<FbxTransform> fbx;  // FBX: as stored, in the file's space and degrees
  /// Set only where the world is not world_from_parent * parent_from_node and no parent_from_node
  /// can make it so: FBX InheritType other than RSrs under a parent with a singular world.
  std::optional<Mat4> world_from_node;
};

struct Scene {
  std::string name;
  std::vector<std::int32_t> roots;  // nodes
};

struct MorphTarget {
  std::string name;
  double default_weight = 0.0;  // the mesh's; a node may override (Binding::morph_weights)
  /// One per in-between for FBX; one for glTF. For each part of the mesh: offsets over all vertices
  /// (dense)...
  struct Shape {
    double full_weight = 1.0;
    std::vector<Stream> positions;  // per part; undeclared where the part has none
    std::vector<Stream>
        indices;  // per part; declared when offsets are sparse (FBX): vertex of each offset
    /// Whether offsets of normals come with it. `zero`: in every part that has them all are zero,
    /// so that the shading does not follow the shape. Known for skinned meshes, else `none`.
    enum class Normals : std::uint8_t { none, zero, given } normals = Normals::none;
  };
  std::vector<Shape> shapes;
};

/// Normals that a file does not keep one per vertex in vertex order: FBX stores them per polygon
/// corner, per polygon, or as a list that indices refer to.
struct ListedNormals {
  /// What a value belongs to, or an index where `indices` is declared.
  enum class Per : std::uint8_t { vertex, corner, polygon, mesh, unknown };
  Per per = Per::unknown;
  Stream values;   // 3; as stored: the file's axes and lengths, whatever the Asset's space
  Stream indices;  // i32 into values, entries may be negative or out of range; undeclared: in order
};

struct MeshPart {
  std::size_t vertex_count = 0;
  std::size_t declared_vertex_count = 0;  // POSITION's count even where it could not be read
  Stream positions;  // 3 components; mesh space, after dequantisation of nothing: as stored
                     // (normalized flag applies)
  Stream normals;    // 3; FBX: axes converted, length as stored
  ListedNormals listed_normals;  // FBX, skinned meshes: where they are not one per vertex
  Stream tangents;               // 4
  Stream indices;                // triangle or polygon vertex indices; undeclared: non-indexed
  int mode = 4;  // glTF primitive mode (4 triangles); -1: FBX polygons (index < 0 ends one: ~index)
  std::vector<std::int32_t> influence_sets_declared;  // numbers n seen as JOINTS_n or WEIGHTS_n
  std::int32_t morph_target_count = 0;
};

struct Mesh {
  std::string name;
  std::int64_t id = 0;  // glTF mesh index, FBX geometry id
  std::vector<MeshPart> parts;
  std::vector<MorphTarget> morphs;
};

/// How weights combine (FBX Skin type and cluster link modes; glTF is always linear).
enum class SkinningMethod : std::uint8_t { linear, rigid, dual_quaternion, blend };
std::string_view skinning_method_name(SkinningMethod method);
enum class LinkMode : std::uint8_t { normalize, additive, total_one };

/// What FBX stores per cluster, as stored (space of the file or canonical, like the rest of the
/// asset).
struct ClusterRecord {
  std::int64_t id = 0;
  std::string name;
  std::optional<Mat4> transform;            // "Transform": bone_from_mesh_node
  std::optional<Mat4> transform_link;       // "TransformLink": world_from_bone at bind
  std::optional<Mat4> transform_associate;  // "TransformAssociateModel"
  /// The file leaves transform or transform_link out; it was taken from the bind pose (a Repair
  /// says so).
  bool from_bind_pose = false;
  LinkMode mode = LinkMode::normalize;
  std::uint64_t index_count = 0, weight_count = 0;  // array lengths as stored
  /// Entries whose control point the mesh does not have (left out of the influences), how many of
  /// them carry weight, and the index farthest out.
  std::uint64_t out_of_range = 0, out_of_range_weighted = 0;
  std::int64_t worst_index = 0;
};

struct Skin {
  std::string name;
  std::int64_t id = 0;  // glTF skin index, FBX deformer id
  std::vector<std::int32_t>
      joints;  // node per slot; -1: the file names none or one that is not there
  std::vector<std::int64_t> joint_ids;  // as stored in the file, valid or not
  /// Inverse bind matrix per slot (FBX: Cluster Transform * geometric transform). Empty optional:
  /// the file has none for it.
  std::vector<std::optional<Mat4>> joint_from_mesh;
  std::optional<std::uint64_t>
      matrix_count;  // matrices stored (glTF accessor count, as declared); empty: none declared
  bool matrices_readable = true;
  std::optional<std::int64_t> declared_skeleton;  // glTF skin.skeleton as stored
  std::int32_t skeleton = -1;                     // its node when valid
  SkinningMethod method = SkinningMethod::linear;
  std::vector<ClusterRecord> clusters;  // FBX only, one per slot
};

/// One mesh node x one skin.
struct Binding {
  std::int32_t node = -1;
  std::int32_t mesh = -1;
  std::int32_t skin = -1;
  std::vector<std::int32_t>
      influences;  // per mesh part: index into Asset::influences, -1: the part has none
  Mat4 node_from_geometry = Mat4::Identity();  // FBX geometric transform
  std::vector<double> morph_weights;           // effective default activations; empty: none
};

enum class ChannelPath : std::uint8_t { translation, rotation, scale, weights, pointer };
enum class Interpolation : std::uint8_t { linear, step, cubic };

/// FBX values are as stored whatever the Asset's space: translation and scale in 3 components,
/// rotation as 3 Euler angles in degrees, weights in percent of one channel named by `pointer`.
struct Channel {
  std::int32_t node = -1;  // -1: target not a node of ours (dangling or pointer)
  ChannelPath path = ChannelPath::translation;
  std::string pointer;  // KHR_animation_pointer, as stored
  Interpolation interpolation = Interpolation::linear;
  Stream times;   // seconds
  Stream values;  // cubic: in-tangent, value, out-tangent per key
  /// FBX, when read with ReadOptions::clip_curves: the curves behind `values`, which hold their
  /// keys alone, one axis joined to the others.
  std::shared_ptr<const FbxCurves> curves;
  std::int32_t layer = 0;  // FBX: which of the clip's animation layers; 0 is the base
};

struct Clip {
  std::string name;
  std::int64_t id = 0;
  double duration = 0.0;  // seconds, last key
  std::vector<Channel> channels;
  /// FBX, whose channels are Euler angles between pivots: the local matrix of every keyed node at
  /// the clip's first key. Empty for glTF.
  struct KeyedNode {
    std::int32_t node = -1;
    Mat4 parent_from_node = Mat4::Identity();
  };
  std::vector<KeyedNode> first_key;
  /// FBX, when read with ReadOptions::clip_curves: what evaluating the clip leaves out, in words.
  std::vector<std::string> left_out;
};

/// A camera of the file at one of its nodes: it looks along -Z of `node_from_camera`, +Y up.
struct Camera {
  std::string name;     // of the camera, else of its node
  std::int64_t id = 0;  // glTF camera index, FBX object id
  std::int32_t node = -1;
  /// Identity for glTF; FBX cameras look along +X of their node.
  Mat4 node_from_camera = Mat4::Identity();
  /// clip_from_camera, depth -1 (near) to 1 (far). Empty: the file does not say enough.
  std::optional<Mat4> clip_from_camera;
  std::string unusable_because;
};

struct BindPose {
  std::string name;
  std::int64_t id = 0;
  std::optional<std::int64_t> declared_count;  // NbPoseNodes
  struct Entry {
    std::int64_t node_id = 0;
    std::int32_t node = -1;
    Mat4 world_from_node = Mat4::Identity();
  };
  std::vector<Entry> entries;
};

/// Something a reader changed, skipped or could not read. `file-damaged` turns each into a finding.
struct Repair {
  enum class Kind : std::uint8_t {
    dangling_reference,  // an index or id that names nothing
    out_of_bounds,       // data beyond its buffer or file
    truncated,           // the file ends early
    wrong_type,          // a value of another JSON/record type than the format says
    count_mismatch,      // lengths that must agree do not
    graph_cycle,         // a cycle or a second parent in the node graph
    missing_data,        // a buffer or companion that is not there
    decode_failed,       // base64, zlib, Draco or meshopt data that does not decode
    duplicate,           // an id or key given twice
    limit,               // more than a limit allows; the rest was skipped
    defaulted,           // absent where required; the default was used
  };
  Kind kind = Kind::dangling_reference;
  bool affects_skinning = true;  // error when true, warning otherwise
  ElementRef element;
  std::uint64_t count = 1;
  std::string detail;   // one sentence without the element's name
  std::string locator;  // where in the file when finer than the element
};
std::string_view repair_kind_name(Repair::Kind kind);

/// An extension or feature that this build cannot read.
struct Unsupported {
  std::string name;       // "KHR_draco_mesh_compression"
  bool required = false;  // the file says a reader must know it
  bool about_skinning = false;
  std::string what;  // what cannot be judged because of it
};

struct NotChecked {
  std::string what;
  std::string because;
};

/// Keeps mapped and decoded memory alive for the streams.
class Storage {
 public:
  virtual ~Storage() = default;
};

struct Axes {
  std::string up = "+y", front = "+z", right = "-x";  // "unknown" when the file does not say
};

struct Asset {
  Format format = Format::gltf;
  std::string imported_format;  // Format::imported: "collada", "x", ...
  std::string version;          // "2.0", "7400"
  std::string generator;        // as stored
  std::string encoding;         // "json", "binary", "ascii"
  Space space = Space::canonical;
  double unit_meters = 1.0;  // declared unit in metres
  std::optional<double> original_unit_meters;
  Axes axes;  // declared
  /// What the asset was conjugated with: axis change times unit for Space::canonical, identity for
  /// Space::file and glTF.
  Mat4 canonical_from_file = Mat4::Identity();
  bool axes_declared = true;
  bool unit_declared = true;     // false: the format has no unit, metres were assumed
  std::uint64_t file_bytes = 0;  // of the main file

  std::vector<Node> nodes;
  std::vector<Scene> scenes;
  std::int32_t default_scene = -1;
  std::vector<Mesh> meshes;
  std::vector<Skin> skins;
  std::vector<InfluenceTable> influences;
  std::vector<Binding> bindings;
  std::vector<Clip> clips;
  std::vector<BindPose> bind_poses;
  std::vector<Camera> cameras;
  std::vector<Repair> repairs;
  std::vector<Unsupported> unsupported;
  std::vector<NotChecked> not_checked;
  std::vector<std::shared_ptr<const Storage>> storage;

  /// format_name(), or the name of the imported format.
  std::string_view format_label() const;
  /// Names from the scene root, e.g. "Armature/hips/spine"; joints are "skin:joint path", unnamed
  /// elements "node[3]" by the file's index; names over 1 KiB lose their middle. Never empty.
  std::string path(const ElementRef& element) const;
  /// Where the file keeps it: a JSON pointer ("/nodes/3") or an FBX object ("Model 1234 \"hips\"").
  std::string locator(const ElementRef& element) const;
  /// Display name of a node: its name (shortened as in path()), or "node[ID]".
  std::string node_name(std::int32_t node) const;
};

/// First broken invariant in words, or empty. Linear in the asset's structure; does not touch bulk
/// data.
std::string check_invariants(const Asset& asset);

}  // namespace skinlint
