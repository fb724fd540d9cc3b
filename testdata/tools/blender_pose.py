"""Builds a rig in Blender, poses it ten ways, and exports every pose with the mesh that Blender makes of it.

    blender -b --factory-startup -P blender_pose.py -- FOLDER

FOLDER gets pose_NN.glb and pose_NN.fbx, whose nodes stand in the pose and whose bind is the rest pose, and
deformed.json: `rest` and, for each pose, the vertices as the Armature modifier leaves them, blended linearly and
with Preserve Volume (dual quaternions). Vertices are in the world, metres, +Y up, in Blender's order.
"""

import json
import math
import os
import random
import sys

import bmesh
import bpy
from mathutils import Euler, Vector

RINGS, RING = 10, 12


def limb(grid, start, end, radius):
    """A tube around a segment; its vertices."""
    axis = (end - start).normalized()
    side = axis.orthogonal().normalized()
    across = axis.cross(side)
    rows = []
    for r in range(RINGS + 1):
        centre = start.lerp(end, r / RINGS)
        rows.append([
            grid.verts.new(centre + radius * (math.cos(a) * side + math.sin(a) * across))
            for a in (2 * math.pi * k / RING for k in range(RING))
        ])
    for r in range(RINGS):
        for k in range(RING):
            n = (k + 1) % RING
            grid.faces.new((rows[r][k], rows[r][n], rows[r + 1][n], rows[r + 1][k]))


BONES = [  # name, parent, head, tail
    ("hips", None, (0.0, 0.0, 0.9), (0.0, 0.02, 1.1)),
    ("spine", "hips", (0.0, 0.02, 1.1), (0.0, 0.0, 1.35)),
    ("arm.L", "spine", (0.18, 0.0, 1.35), (0.45, 0.03, 1.3)),
    ("forearm.L", "arm.L", (0.45, 0.03, 1.3), (0.72, 0.0, 1.3)),
    ("arm.R", "spine", (-0.18, 0.0, 1.35), (-0.45, 0.03, 1.3)),
    ("forearm.R", "arm.R", (-0.45, 0.03, 1.3), (-0.72, 0.0, 1.3)),
]


def build():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for i, (name, parent, head, tail) in enumerate(BONES):
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, 0.3 * i
        if parent:
            bone.parent = armature.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")

    mesh = bpy.data.meshes.new("Body")
    grid = bmesh.new()
    limb(grid, Vector((0, 0, 0.85)), Vector((0, 0, 1.45)), 0.14)
    limb(grid, Vector((0.16, 0, 1.35)), Vector((0.74, 0.01, 1.3)), 0.06)
    limb(grid, Vector((-0.16, 0, 1.35)), Vector((-0.74, 0.01, 1.3)), 0.06)
    grid.to_mesh(mesh)
    grid.free()
    body = bpy.data.objects.new("Body", mesh)
    bpy.context.collection.objects.link(body)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for bone in armature.bones:
        body.vertex_groups.new(name=bone.name)
    for vertex in mesh.vertices:
        near = []
        for i, (_, _, head, tail) in enumerate(BONES):
            head, tail = Vector(head), Vector(tail)
            t = max(0.0, min(1.0, (vertex.co - head).dot(tail - head) / (tail - head).length_squared))
            near.append(((vertex.co - head.lerp(tail, t)).length, i))
        near.sort()
        shares = [(i, 1.0 / (d + 0.01) ** 3) for d, i in near[:3]]
        total = sum(share for _, share in shares)
        for i, share in shares:
            body.vertex_groups[i].add([vertex.index], share / total, "REPLACE")
    return rig, body


def vertices(body):
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = evaluated.matrix_world
    return [[p.x, p.z, -p.y] for p in (world @ v.co for v in evaluated.to_mesh().vertices)]


folder = sys.argv[sys.argv.index("--") + 1]
rig, body = build()
modifier = body.modifiers["Armature"]
result = {"rest": vertices(body), "poses": []}
numbers = random.Random(20)
for pose in range(10):
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Euler([numbers.uniform(-0.8, 0.8) for _ in range(3)]).to_quaternion()
        bone.location = [numbers.uniform(-0.05, 0.05) for _ in range(3)]
    bpy.context.view_layer.update()
    entry = {"name": "pose_%02d" % pose}
    for key, preserve in (("linear", False), ("dual", True)):
        modifier.use_deform_preserve_volume = preserve
        bpy.context.view_layer.update()
        entry[key] = vertices(body)
    modifier.use_deform_preserve_volume = False
    path = os.path.join(folder, entry["name"])
    bpy.ops.export_scene.gltf(
        filepath=path + ".glb", export_format="GLB", export_animations=False, export_current_frame=True
    )
    bpy.ops.export_scene.fbx(filepath=path + ".fbx", bake_anim=False, add_leaf_bones=False)
    result["poses"].append(entry)
with open(os.path.join(folder, "deformed.json"), "w", encoding="utf-8") as out:
    json.dump(result, out)
