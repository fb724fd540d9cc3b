"""Exports the rig of blender_rig.py as FBX, in every way that moves axes, units or transforms about.

    blender -b --factory-startup -P blender_fbx.py -- FOLDER

FOLDER/expected.json lists every file: `kind` "clean" (no error, no warning) with `why`, or "fault" with the
findings that it deserves at error or warning: these and no others. `same_as` names a file that must read to
the same joints in the canonical space, up to the factor `scale`.
"""

import json
import math
import os
import sys

import bpy
from mathutils import Matrix

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import blender_rig  # noqa: E402  (found beside this script)


def export(path, **options):
    bpy.ops.export_scene.fbx(filepath=path, **options)


# --- scene variants -------------------------------------------------------------------------------


def second_mesh(rig, body):
    """A sleeve around the middle of the chain, with an offset of its own."""
    sleeve = body.copy()
    sleeve.data = body.data.copy()
    sleeve.name = "Sleeve"
    bpy.context.collection.objects.link(sleeve)
    sleeve.shape_key_clear()
    sleeve.data.transform(Matrix.Diagonal((1.1, 1.1, 1.0, 1.0)))
    sleeve.location = (0.01, 0.0, 0.0)


def second_armature(rig, body):
    """A whole copy beside the first, whose bones have the same names."""
    twin = rig.copy()
    twin.data = rig.data.copy()
    twin.name = "Twin"
    twin.location = (2.0, 0.0, 0.0)
    bpy.context.collection.objects.link(twin)
    clothes = body.copy()
    clothes.data = body.data.copy()
    clothes.name = "TwinBody"
    bpy.context.collection.objects.link(clothes)
    clothes.parent = twin
    clothes.modifiers["Armature"].object = twin


def armature_scaled(factor):
    def change(rig, body):
        rig.scale = (factor, factor, factor)

    return change


def armature_tilted(rig, body):
    rig.rotation_euler = (math.radians(90), 0.0, 0.0)
    rig.scale = (0.01, 0.01, 0.01)


def body_not_parented(rig, body):
    body.parent = None


def below_empty(rig, body):
    empty = bpy.data.objects.new("Mount", None)
    bpy.context.collection.objects.link(empty)
    empty.scale = (0.5, 0.5, 0.5)
    empty.rotation_euler = (0.3, 0.2, 0.1)
    rig.parent = empty


def shape_on(rig, body):
    body.data.shape_keys.key_blocks["bulge"].value = 0.75


def scene_in_centimetres(rig, body):
    bpy.context.scene.unit_settings.scale_length = 0.01


STILL = {"bake_anim": False}

# name, change of the scene, options of the exporter, why it is legal
LEGAL = [
    ("clean", None, {}, "as exported: -Z forward, Y up, leaf bones, clips"),
    ("still", None, STILL, "no clips"),
    ("baked_axes", None, {"bake_space_transform": True}, "axes are baked into the objects"),
    ("scale_units", None, {"apply_scale_options": "FBX_SCALE_UNITS"}, "the scene's unit scales the file's"),
    ("scale_custom", None, {"apply_scale_options": "FBX_SCALE_CUSTOM"}, "the global scale scales the file's unit"),
    ("scale_all", None, {"apply_scale_options": "FBX_SCALE_ALL"}, "all scales go into the file's unit"),
    ("scale_all_baked", None, {"apply_scale_options": "FBX_SCALE_ALL", "bake_space_transform": True}, "both"),
    ("global_scale_100", None, {"global_scale": 100.0}, "one factor above everything"),
    ("centimetres", scene_in_centimetres, {}, "one factor above everything"),
    ("no_leaf_bones", None, {"add_leaf_bones": False}, "leaf bones carry no weight"),
    ("bone_axis_x", None, {"primary_bone_axis": "X", "secondary_bone_axis": "Y"}, "bones turned, bind likewise"),
    ("bone_axis_minus_z", None, {"primary_bone_axis": "-Z", "secondary_bone_axis": "X"}, "bones turned, bind likewise"),
    ("root_node", None, {"armature_nodetype": "ROOT"}, "the armature is a Root node"),
    ("limb_node", None, {"armature_nodetype": "LIMBNODE"}, "the armature is a LimbNode"),
    ("deform_only", None, {"use_armature_deform_only": True}, "all bones deform"),
    ("armature_moved", blender_rig.armature_moved, {}, "mesh and bind stand with the armature"),
    ("armature_scaled_2", armature_scaled(2.0), {}, "one factor above all joints and the mesh"),
    ("armature_scaled_001", armature_scaled(0.01), {}, "one factor above all joints and the mesh"),
    ("armature_tilted", armature_tilted, {}, "turned and scaled above all joints and the mesh"),
    ("mesh_turned", blender_rig.mesh_turned, {}, "the clusters hold the mesh's turn"),
    ("mesh_turned_baked", blender_rig.mesh_turned, {"bake_space_transform": True}, "the clusters hold the turn"),
    ("mesh_scaled", blender_rig.mesh_scaled, {}, "the clusters hold the mesh's scale"),
    ("mesh_not_parented", body_not_parented, {}, "a skin needs no parent"),
    ("below_empty", below_empty, {}, "turned and scaled above all joints and the mesh"),
    ("two_meshes", second_mesh, {}, "two meshes on one armature"),
    ("two_armatures", second_armature, {}, "bones of two armatures share their names"),
    ("shape_on", shape_on, {}, "a shape key that is on at rest"),
    ("weights_not_normalised", blender_rig.weights_not_normalised, {}, "the clusters' mode normalises"),
]

AXES = [("Y", "Z"), ("-Y", "Z"), ("X", "Y"), ("Z", "Y"), ("-X", "Z"), ("X", "-Z"), ("Z", "X"), ("-Y", "-X"), ("Z", "-Y")]
for forward, up in AXES:
    for baked in (False, True):
        LEGAL.append(
            (
                ("axes_%s_%s%s" % (forward, up, "_baked" if baked else "")).replace("-", "minus"),
                blender_rig.mesh_turned,
                {"axis_forward": forward, "axis_up": up, "bake_space_transform": baked},
                "declared axes",
            )
        )

# File: the file whose joints and mesh it must have in the canonical space, factor of the lengths. Axes declared in
# whatever way are the same scene.
SAME = {name: ("mesh_turned", 1.0) for name, _, _, _ in LEGAL if name.startswith("axes_") or name == "mesh_turned_baked"}
for name in ("still", "baked_axes", "scale_units", "scale_custom", "scale_all", "scale_all_baked", "no_leaf_bones"):
    SAME[name] = ("clean", 1.0)
for name in ("bone_axis_x", "bone_axis_minus_z", "root_node", "limb_node", "deform_only", "mesh_not_parented", "shape_on"):
    SAME[name] = ("clean", 1.0)
SAME["global_scale_100"] = ("clean", 100.0)
SAME["armature_scaled_2"] = ("clean", 2.0)
SAME["armature_scaled_001"] = ("clean", 0.01)
SAME["centimetres"] = ("clean", 0.01)

# name, change of the scene, options of the exporter, the findings it deserves
FAULTS = [
    ("posed", blender_rig.posed, STILL, [("bind-rest-differs", "warning")]),
    ("posed_squashed", blender_rig.posed_squashed, STILL, [("bind-rest-differs", "warning")]),
    (
        "posed_mirrored",
        blender_rig.posed_mirrored,
        STILL,
        [("bind-matrix-mirrored", "error"), ("bind-rest-differs", "warning"), ("transform-mirrored", "warning")],
    ),
    ("armature_squashed", blender_rig.armature_squashed, STILL, [("transform-non-uniform-scale", "warning"), ("morph-space", "warning")]),
    ("vertex_without_group", blender_rig.vertex_without_group, STILL, [("weights-zero-sum", "warning")]),
]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    expected = []
    rows = [(name, change, options, {"kind": "clean", "why": why}) for name, change, options, why in LEGAL]
    rows += [(name, change, options, {"kind": "fault", "findings": f}) for name, change, options, f in FAULTS]
    for name, change, options, entry in rows:
        rig, body = blender_rig.build_rig()
        if change:
            change(rig, body)
        bpy.context.view_layer.update()
        export(os.path.join(folder, name + ".fbx"), **options)
        entry = dict(entry, file=name + ".fbx")
        if name in SAME:
            entry["same_as"], entry["scale"] = SAME[name][0] + ".fbx", SAME[name][1]
        expected.append(entry)
    with open(os.path.join(folder, "expected.json"), "w") as out:
        json.dump({"blender": bpy.app.version_string, "files": expected}, out, indent=1)


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1])
    except Exception:  # Blender would end with status 0
        import traceback

        traceback.print_exc()
        sys.exit(1)
