#include "engine/profiles.h"

#include <string>

#include "engine/check.h"

namespace skinlint {
namespace {

constexpr double as_warning = 2, as_error = 3;

constexpr ProfileSetting severity_of(std::string_view rule, Severity severity,
                                     std::string_view source) {
  return {rule, {}, 0.0, severity, source};
}
constexpr ProfileSetting value_of(std::string_view rule, std::string_view param, double value,
                                  std::string_view source) {
  return {rule, param, value, Severity::off, source};
}

constexpr std::string_view khronos_sum =
    "Khronos glTF validator: 2e-7 for each of the up to four weights that are not zero";

constexpr ProfileSetting gltf[] = {
    value_of("weights-sum", "note", 8e-7, khronos_sum),
    value_of("weights-sum", "warning", 8e-7, khronos_sum),
    value_of("weights-sum", "error", 8e-7, khronos_sum),
    value_of("weights-quantised-sum", "steps_per_influence", 0,
             "Khronos glTF validator: integer weights must sum to 255 or 65535 exactly"),
    value_of("bind-matrix-not-affine", "tolerance", 0,
             "Khronos glTF validator: the last row must be 0 0 0 1 exactly"),
    severity_of("weights-zero-with-joint", Severity::warning,
                "Khronos glTF validator: ACCESSOR_JOINTS_USED_ZERO_WEIGHT is a warning"),
    severity_of("transform-ignored-on-skin", Severity::warning,
                "Khronos glTF validator: NODE_SKINNED_MESH_LOCAL_TRANSFORMS is a warning"),
};

constexpr ProfileSetting unity[] = {
    value_of("weights-influence-limit", "limit", 4,
             "Unity manual, ModelImporterSkinWeights: Standard imports four bones a vertex"),
    value_of("weights-zero-sum", "fbx_level", as_error,
             "Unity binds a vertex without weight to bone 0 of the renderer"),
    value_of("weights-sum", "normalize_level", as_warning,
             "Unity manual, Mesh.boneWeights: the weights of a vertex should sum to one"),
    value_of("bind-mesh-moved", "moved_level", as_warning,
             "Unity's bind poses are taken at import from where the mesh node stands"),
    severity_of("transform-mesh-residue", Severity::warning,
                "Unity's bind poses hold the mesh node's transform: docs/model.md"),
    severity_of("transform-root-residue", Severity::warning,
                "Unity takes the root's transform for root motion"),
    value_of("transform-unit-mismatch", "size_level", as_warning,
             "Unity manual, Model import: one unit is a metre"),
    value_of("transform-unit-mismatch", "smallest", 0.05, "characters and creatures of games"),
    value_of("transform-unit-mismatch", "largest", 50, "characters and creatures of games"),
    value_of("skin-method", "blend_level", as_warning,
             "Unity manual, SkinnedMeshRenderer: linear blend skinning"),
    value_of("skeleton-joint-names", "level", as_warning,
             "Unity scripting reference, AnimationClip.SetCurve: clips find joints by names"),
    severity_of("skeleton-name-characters", Severity::warning,
                "Unity scripting reference, AnimationClip.SetCurve: a slash parts two nodes"),
    value_of("skeleton-name-characters", "spaces", 0, "Unity keeps spaces"),
    value_of("skeleton-name-characters", "dots", 0, "Unity keeps dots"),
    value_of("skeleton-name-characters", "colons", 0, "Unity keeps colons"),
    value_of("skeleton-name-characters", "brackets", 0, "Unity keeps brackets"),
    value_of("skeleton-name-characters", "symbols", 0, "Unity keeps other signs"),
    value_of("skeleton-name-characters", "longest", 65535, "Unity names no limit"),
    severity_of("skeleton-rest-shape", Severity::note,
                "Unity manual, humanoid avatars: the model is bound in a T pose"),
    value_of("skeleton-rest-shape", "wanted", 1,
             "Unity manual, humanoid avatars: the model is bound in a T pose"),
};

constexpr ProfileSetting unreal[] = {
    value_of("weights-influence-limit", "limit", 8,
             "Unreal Engine: eight influences a vertex unless Unlimited Bone Influences is on, "
             "which keeps twelve"),
    value_of("weights-zero-sum", "fbx_level", as_error,
             "Unreal's FBX import binds such vertices to the root and warns"),
    value_of("weights-sum", "normalize_level", as_warning,
             "Unreal packs weights into integers after normalising: small ones are lost"),
    value_of("bind-pose-missing", "clusters_level", as_warning,
             "Unreal's FBX import takes frame 0 for the bind pose where there is none"),
    value_of("bind-pose-incomplete", "other_level", as_warning,
             "Unreal's FBX import reports bones that the bind pose lacks"),
    value_of("bind-pose-cluster-mismatch", "level", as_error,
             "Unreal's reference pose is the FBX bind pose"),
    value_of("bind-mesh-moved", "moved_level", as_warning,
             "Unreal's FBX import applies the mesh node's global transform to its vertices"),
    value_of("clip-rest-is-key", "level", as_warning,
             "Unreal's FBX import offers frame 0 as reference pose, and retargets from it"),
    severity_of("transform-mesh-residue", Severity::warning,
                "Unreal's FBX import applies the mesh node's global transform to its vertices"),
    severity_of("transform-root-residue", Severity::warning,
                "Unreal Engine documentation, Root Motion: the root bone belongs at the origin"),
    value_of("transform-unit-mismatch", "size_level", as_warning,
             "Unreal Engine documentation: one unit is a centimetre"),
    value_of("transform-unit-mismatch", "smallest", 0.05, "characters and creatures of games"),
    value_of("transform-unit-mismatch", "largest", 50, "characters and creatures of games"),
    value_of("skeleton-roots", "tops_level", as_error,
             "Unreal's FBX import refuses a skeletal mesh with several roots"),
    value_of("skin-method", "blend_level", as_warning, "Unreal skins linearly"),
    value_of("skeleton-joint-names", "level", as_error,
             "Unreal's FBX import refuses two bones of one name; FName ignores capitals"),
    severity_of("skeleton-name-characters", Severity::warning,
                "Unreal Engine reference, FixupBoneName; the FBX importer replaces . , / ` and %"),
    value_of("skeleton-name-characters", "dots", 0,
             "harmless: the importer writes an underscore in meshes and clips alike"),
    value_of("skeleton-name-characters", "brackets", 0, "Unreal keeps brackets"),
    severity_of("skeleton-rest-shape", Severity::note,
                "Unreal Engine documentation, IK Retargeter: both sides need one retarget pose"),
};

constexpr ProfileSetting godot[] = {
    value_of("weights-influence-limit", "limit", 8,
             "Godot manual, Mesh: ARRAY_FLAG_USE_8_BONE_WEIGHTS; four is its default"),
    value_of("transform-unit-mismatch", "size_level", as_warning,
             "Godot manual, 3D: one unit is a metre"),
    value_of("transform-unit-mismatch", "smallest", 0.05, "characters and creatures of games"),
    value_of("transform-unit-mismatch", "largest", 50, "characters and creatures of games"),
    value_of("skin-method", "blend_level", as_warning, "Godot skins linearly"),
    value_of("skeleton-joint-names", "level", as_warning,
             "Godot: Skeleton3D.add_bone needs a name that no other bone has"),
    severity_of("skeleton-name-characters", Severity::warning,
                "Godot pull request 42577: a bone's name is not empty and holds no colon or slash"),
    value_of("skeleton-name-characters", "spaces", 0, "Godot keeps spaces in bone names"),
    value_of("skeleton-name-characters", "dots", 0, "Godot keeps dots in bone names"),
    value_of("skeleton-name-characters", "brackets", 0, "Godot keeps brackets in bone names"),
    value_of("skeleton-name-characters", "symbols", 0, "Godot keeps other signs in bone names"),
    value_of("skeleton-name-characters", "longest", 65535, "Godot names no limit"),
};

constexpr ProfileSetting web[] = {
    value_of("weights-influence-limit", "limit", 4,
             "three.js reads JOINTS_0 and WEIGHTS_0 alone; Babylon.js reads eight"),
    value_of("transform-unit-mismatch", "size_level", as_warning,
             "glTF 2.0 section 3.4: units are metres; AR viewers show true size"),
    value_of("transform-unit-mismatch", "smallest", 0.05, "characters and creatures of games"),
    value_of("transform-unit-mismatch", "largest", 50, "characters and creatures of games"),
    value_of("skin-method", "blend_level", as_warning, "three.js and Babylon.js skin linearly"),
    severity_of("skeleton-name-characters", Severity::note,
                "three.js issue 21097: loaders take reserved characters out of nodes and tracks"),
    value_of("skeleton-name-characters", "symbols", 0, "three.js keeps other signs"),
    value_of("skeleton-name-characters", "longest", 65535, "JavaScript names no limit"),
};

constexpr ProfileSetting film[] = {
    severity_of("weights-influence-limit", Severity::off, "renderers take any number"),
    severity_of("skeleton-joint-limit", Severity::off, "renderers take any number"),
    severity_of("skeleton-depth", Severity::off,
                "film rigs nest helpers and are evaluated in double precision"),
    severity_of("skeleton-leaf-bones", Severity::off, "end joints carry tools in film rigs"),
    value_of("transform-unit-mismatch", "largest", 2000, "sets and creatures in centimetres"),
};

constexpr Profile profiles[] = {
    {"default", "Limits that hold for every target: what real files agree on", {}},
    {"gltf", "As strict as the Khronos glTF validator", gltf},
    {"unity", "What the Unity importer does with a file", unity},
    {"unreal", "What Unreal Engine's FBX and glTF import do with a file", unreal},
    {"godot", "What the Godot importer does with a file", godot},
    {"web", "three.js and Babylon.js", web},
    {"film", "Renderers without budgets", film},
};

}  // namespace

std::span<const Profile> all_profiles() { return profiles; }

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

void apply_profile(const Profile& profile, CheckConfig& config) {
  for (const ProfileSetting& setting : profile.settings) {
    if (setting.param.empty()) {
      config.severities[std::string(setting.rule)] = setting.severity;
    } else {
      config.params[std::string(setting.rule)][std::string(setting.param)] = setting.value;
    }
  }
  config.profile = profile.name;
}

}  // namespace skinlint
