"""Builds one small rig in Blender and exports it as GLB: clean, legal in unusual ways, and with one fault each.

    blender -b --factory-startup -P blender_rig.py -- FOLDER

Faults are put into the scene where Blender's exporter lets them through, and into the exported bytes
where it would mend them. FOLDER/expected.json lists every file: `kind` "clean" (no error, no warning) or
"fault" with the findings that must be there, and `why`.
"""

import json
import math
import os
import struct
import sys

import bmesh
import bpy
from mathutils import Matrix, Vector

SEGMENTS = 8
RINGS_PER_SEGMENT = 4
RING = 10
RADIUS = 0.12
LENGTH = 0.25


def build_rig():
    """Armature "Rig" with a chain of bones up Z, tube "Body" bound to it, one shape key, one action."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i in range(SEGMENTS):
        bone = armature.edit_bones.new("seg_%02d" % i)
        bone.head = (0.02 * i, 0.0, LENGTH * i)  # a slight lean, so that bones have turns of their own
        bone.tail = (0.02 * (i + 1) + 0.01, 0.01 * (i % 2), LENGTH * (i + 1))
        bone.roll = 0.1 * i
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")

    mesh = bpy.data.meshes.new("Body")
    rings = SEGMENTS * RINGS_PER_SEGMENT + 1
    grid = bmesh.new()
    rows = []
    for r in range(rings):
        t = r / RINGS_PER_SEGMENT
        row = []
        for k in range(RING):
            a = 2 * math.pi * k / RING
            row.append(grid.verts.new((0.02 * t + RADIUS * math.cos(a), RADIUS * math.sin(a), LENGTH * t)))
        rows.append(row)
    for r in range(rings - 1):
        for k in range(RING):
            n = (k + 1) % RING
            grid.faces.new((rows[r][k], rows[r][n], rows[r + 1][n], rows[r + 1][k]))
    grid.to_mesh(mesh)
    grid.free()
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.collection.objects.link(body)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for bone in armature.bones:
        body.vertex_groups.new(name=bone.name)
    for vertex in mesh.vertices:
        t = vertex.co.z / LENGTH
        reach = [max(0.0, 1.0 - abs(t - (i + 0.5)) / 1.5) ** 2 for i in range(SEGMENTS)]
        total = sum(reach)
        for i, weight in enumerate(reach):
            if weight > 0.0:
                body.vertex_groups[i].add([vertex.index], weight / total, "REPLACE")

    body.shape_key_add(name="Basis")
    bulge = body.shape_key_add(name="bulge")
    for vertex in mesh.vertices:
        bulge.data[vertex.index].co = vertex.co + 0.03 * Vector((vertex.normal.x, vertex.normal.y, 0.0))

    action = bpy.data.actions.new("sway")
    rig.animation_data_create().action = action
    for frame, angle in ((1, 0.0), (12, 0.4), (24, 0.0)):
        bone = rig.pose.bones["seg_03"]
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    return rig, body


def export(path, **options):
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", export_yup=True, **options)


# --- bytes of a GLB -------------------------------------------------------------------------------

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}


class Glb:
    def __init__(self, path):
        with open(path, "rb") as source:
            data = source.read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20 : 20 + length])
        self.bin = bytearray(data[28 + length :])

    def write(self, path):
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        self.bin += b"\0" * (-len(self.bin) % 4)
        total = 12 + 8 + len(text) + 8 + len(self.bin)
        with open(path, "wb") as out:
            out.write(struct.pack("<III", 0x46546C67, 2, total))
            out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(self.bin), 0x004E4942) + bytes(self.bin))

    def place(self, accessor, element):
        """Offset in the binary chunk and struct format of one element."""
        view = self.json["bufferViews"][accessor["bufferView"]]
        form = "<%d%s" % (COMPONENTS[accessor["type"]], FORMATS[accessor["componentType"]])
        stride = view.get("byteStride", struct.calcsize(form))
        return view.get("byteOffset", 0) + accessor.get("byteOffset", 0) + element * stride, form

    def get(self, accessor, element):
        at, form = self.place(accessor, element)
        return list(struct.unpack_from(form, self.bin, at))

    def put(self, accessor, element, values):
        at, form = self.place(accessor, element)
        struct.pack_into(form, self.bin, at, *values)

    def attribute(self, name):
        return self.json["accessors"][self.json["meshes"][0]["primitives"][0]["attributes"][name]]

    def matrices(self):
        return self.json["accessors"][self.json["skins"][0]["inverseBindMatrices"]]

    def joint(self, name):
        """Slot and node of a joint."""
        for slot, node in enumerate(self.json["skins"][0]["joints"]):
            if self.json["nodes"][node].get("name") == name:
                return slot, self.json["nodes"][node]
        raise KeyError(name)


def edit_matrices(change):
    """Patch that replaces every inverse bind matrix (16 numbers, column-major) by change(matrix)."""

    def patch(glb):
        accessor = glb.matrices()
        for slot in range(accessor["count"]):
            glb.put(accessor, slot, change(glb.get(accessor, slot)))

    return patch


def edit_matrix(name, change):
    def patch(glb):
        accessor = glb.matrices()
        slot, _ = glb.joint(name)
        glb.put(accessor, slot, change(glb.get(accessor, slot)))

    return patch


def edit_weights(vertex, change):
    def patch(glb):
        accessor = glb.attribute("WEIGHTS_0")
        glb.put(accessor, vertex, change(glb.get(accessor, vertex)))

    return patch


IDENTITY = [float(i % 5 == 0) for i in range(16)]


def transposed(m):
    return [m[4 * r + c] for c in range(4) for r in range(4)]


def inverted(m):
    columns = Matrix([m[0:4], m[4:8], m[8:12], m[12:16]])  # rows of the transpose
    return [x for row in columns.inverted() for x in row]


def replaced(index, value):
    def change(values):
        values[index] = value
        return values

    return change


def joint_out_of_range(glb):
    accessor = glb.attribute("JOINTS_0")
    joints = glb.get(accessor, 20)
    joints[0] = 250
    glb.put(accessor, 20, joints)


def duplicate_joint(glb):
    joints, weights = glb.attribute("JOINTS_0"), glb.attribute("WEIGHTS_0")
    slot = glb.get(joints, 20)
    slot[1] = slot[0]
    glb.put(joints, 20, slot)
    glb.put(weights, 20, [0.5, 0.5, 0.0, 0.0])


def one_matrix_short(glb):
    glb.matrices()["count"] -= 1


def no_matrices(glb):
    del glb.json["skins"][0]["inverseBindMatrices"]


def no_weights(glb):
    attributes = glb.json["meshes"][0]["primitives"][0]["attributes"]
    del attributes["WEIGHTS_0"], attributes["JOINTS_0"]


def joints_as_floats(glb):
    attributes = glb.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["JOINTS_0"] = attributes["WEIGHTS_0"]


def vertices_aside(glb):
    accessor = glb.attribute("POSITION")
    for vertex in range(accessor["count"]):
        x, y, z = glb.get(accessor, vertex)
        glb.put(accessor, vertex, [x + 2.0, y, z])
    for bound in ("min", "max"):
        accessor[bound][0] += 2.0


def quaternion_long(glb):
    _, node = glb.joint("seg_05")
    node["rotation"] = [1.5 * x for x in node.get("rotation", [0.0, 0.0, 0.0, 1.0])]


def zero_scale(glb):
    _, node = glb.joint("seg_07")
    node["scale"] = [0.0, 0.0, 0.0]


def joint_twice(glb):
    joints = glb.json["skins"][0]["joints"]
    joints[7] = joints[6]


def stray_root(glb):
    nodes = glb.json["nodes"]
    nodes.append({"name": "stray"})
    glb.json["scenes"][0]["nodes"].append(len(nodes) - 1)
    glb.json["skins"][0]["joints"][7] = len(nodes) - 1


def unknown_extension(glb):
    glb.json["extensionsUsed"] = ["ACME_bones"]
    glb.json["extensionsRequired"] = ["ACME_bones"]


def truncated_view(glb):
    view = glb.json["bufferViews"][glb.attribute("WEIGHTS_0")["bufferView"]]
    view["byteOffset"] = len(glb.bin) + 1000


# --- scene variants -------------------------------------------------------------------------------


def mesh_turned(rig, body):
    body.rotation_euler = (0.0, 0.0, math.radians(90))


def mesh_scaled(rig, body):
    body.scale = (0.01, 0.01, 0.01)
    body.data.transform(Matrix.Scale(100.0, 4), shape_keys=True)


def armature_moved(rig, body):
    rig.location = (3.0, -2.0, 0.0)
    rig.rotation_euler = (0.0, 0.0, math.radians(30))


def armature_scaled(rig, body):
    rig.scale = (0.01, 0.01, 0.01)


def armature_squashed(rig, body):
    rig.scale = (1.0, 1.0, 1.4)


def weights_not_normalised(rig, body):
    for vertex in body.data.vertices:
        for group in vertex.groups:
            group.weight *= 0.6


def vertex_without_group(rig, body):
    for group in body.vertex_groups:
        group.remove([50])


def posed(rig, body):
    rig.animation_data_clear()
    bone = rig.pose.bones["seg_03"]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = (math.cos(0.4), math.sin(0.4), 0.0, 0.0)


def posed_mirrored(rig, body):
    rig.animation_data_clear()
    rig.pose.bones["seg_04"].scale = (-1.0, 1.0, 1.0)


def posed_squashed(rig, body):
    rig.animation_data_clear()
    rig.pose.bones["seg_04"].scale = (1.0, 1.5, 1.0)


# name, change of the scene, options of the exporter, why it is legal
LEGAL = [
    ("clean", None, {}, "as exported"),
    ("mesh_turned", mesh_turned, {}, "the exporter brings the vertices into the armature's space"),
    ("mesh_scaled", mesh_scaled, {}, "the exporter brings the vertices into the armature's space"),
    ("armature_moved", armature_moved, {}, "mesh and bind stand with the armature"),
    ("armature_scaled", armature_scaled, {}, "one factor above all joints and the mesh"),
    ("weights_not_normalised", weights_not_normalised, {}, "the exporter normalises weights"),
    ("vertex_without_group", vertex_without_group, {}, "the exporter binds it to a joint of its own"),
    ("all_influences", None, {"export_all_influences": True}, "more than one attribute set is legal"),
    ("no_morphs_no_clips", None, {"export_morph": False, "export_animations": False}, "as exported"),
]

# name, change of the scene, options of the exporter, findings that must be there
SCENE_FAULTS = [
    ("posed", posed, {"export_current_frame": True, "export_animations": False}, [("bind-rest-differs", "warning")]),
    (
        "posed_mirrored",
        posed_mirrored,
        {"export_current_frame": True, "export_animations": False},
        [("bind-matrix-mirrored", "error")],
    ),
    (
        "posed_squashed",
        posed_squashed,
        {"export_current_frame": True, "export_animations": False},
        [("bind-rest-differs", "warning")],
    ),
    ("armature_squashed", armature_squashed, {}, [("transform-non-uniform-scale", "warning")]),
]

# Faults that a clip excuses (a rest pose that is a clip's first key, a joint hidden by an animated scale) start from
# the export without clips.
WITHOUT_CLIPS = {"matrices_not_inverted", "zero_scale"}

# name, change of the exported bytes, findings that must be there
BYTE_FAULTS = [
    ("matrices_transposed", edit_matrices(transposed), [("bind-matrix-not-affine", "error")]),
    ("matrices_not_inverted", edit_matrices(inverted), [("bind-rest-differs", "warning")]),
    ("matrix_row_not_affine", edit_matrix("seg_02", replaced(3, 0.01)), [("bind-matrix-not-affine", "error")]),
    ("matrix_identity", edit_matrix("seg_05", lambda m: IDENTITY), [("bind-matrix-identity", "warning")]),
    ("matrix_zero", edit_matrix("seg_05", lambda m: [0.0] * 15 + [1.0]), [("bind-matrix-singular", "error")]),
    ("matrix_nan", edit_matrix("seg_05", replaced(12, math.nan)), [("transform-non-finite", "error")]),
    ("matrix_one_short", one_matrix_short, [("bind-matrix-missing", "error")]),
    ("matrices_absent", no_matrices, [("bind-matrix-missing", "warning")]),
    ("weight_nan", edit_weights(20, replaced(0, math.nan)), [("weights-non-finite", "error")]),
    ("weight_negative", edit_weights(20, lambda w: [1.2, -0.2, 0.0, 0.0]), [("weights-negative", "error")]),
    ("weights_zero", edit_weights(20, lambda w: [0.0] * 4), [("weights-zero-sum", "error")]),
    ("weights_half", edit_weights(20, lambda w: [x * 0.5 for x in w]), [("weights-sum", "error")]),
    ("weight_above_one", edit_weights(20, lambda w: [1.5, 0.0, 0.0, 0.0]), [("weights-above-one", "error")]),
    ("joint_out_of_range", joint_out_of_range, [("weights-joint-out-of-range", "error")]),
    ("joint_duplicate", duplicate_joint, [("weights-duplicate-joint", "error")]),
    ("joints_as_floats", joints_as_floats, [("weights-array-mismatch", "error")]),
    ("weights_absent", no_weights, [("skin-attributes-missing", "error")]),
    ("joint_twice", joint_twice, [("skeleton-joint-repeated", "error")]),
    ("stray_root", stray_root, [("skeleton-roots", "error")]),
    ("vertices_aside", vertices_aside, [("bind-skeleton-misplaced", "warning")]),
    ("quaternion_long", quaternion_long, [("transform-non-finite", "error")]),
    ("zero_scale", zero_scale, [("transform-zero-scale", "error")]),
    ("extension_required", unknown_extension, [("file-unsupported", "error")]),
    ("weights_beyond_buffer", truncated_view, [("file-damaged", "error")]),
]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    expected = []

    def path_of(name):
        return os.path.join(folder, name + ".glb")

    for name, change, options, why in LEGAL:
        rig, body = build_rig()
        if change:
            change(rig, body)
        bpy.context.view_layer.update()
        export(path_of(name), **options)
        expected.append({"file": name + ".glb", "kind": "clean", "why": why})
    for name, change, options, findings in SCENE_FAULTS:
        rig, body = build_rig()
        change(rig, body)
        bpy.context.view_layer.update()
        export(path_of(name), **options)
        expected.append({"file": name + ".glb", "kind": "fault", "findings": findings})
    for name, patch, findings in BYTE_FAULTS:
        glb = Glb(path_of("no_morphs_no_clips" if name in WITHOUT_CLIPS else "clean"))
        patch(glb)
        glb.write(path_of(name))
        expected.append({"file": name + ".glb", "kind": "fault", "findings": findings})
    with open(os.path.join(folder, "expected.json"), "w") as out:
        json.dump({"blender": bpy.app.version_string, "files": expected}, out, indent=1)


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1])
    except Exception:  # Blender would end with status 0
        import traceback

        traceback.print_exc()
        sys.exit(1)
