"""Keys a chain of bones, exports it as glTF and FBX, and writes where Blender itself has every bone.

blender -b --factory-startup -P blender_clip.py -- FOLDER
"""

import json
import math
import os
import sys

import bpy
from mathutils import Euler

folder = sys.argv[sys.argv.index("--") + 1]
scene = bpy.context.scene
scene.render.fps = 24
scene.frame_start, scene.frame_end = 0, 24

for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)

data = bpy.data.armatures.new("rig")
rig = bpy.data.objects.new("rig", data)
scene.collection.objects.link(rig)
rig.location = (0.3, -0.2, 0.1)
rig.rotation_euler = (0.2, 0.1, 0.4)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
parent = None
names = ["hip", "spine", "neck", "head"]
for k, name in enumerate(names):
    bone = data.edit_bones.new(name)
    bone.head = (0.1 * k, 0.05 * k * k, 0.5 * k)
    bone.tail = (0.1 * (k + 1), 0.05 * (k + 1) ** 2, 0.5 * (k + 1))
    bone.roll = 0.3 * k
    bone.parent = parent
    bone.use_connect = False
    parent = bone
bpy.ops.object.mode_set(mode="OBJECT")

mesh = bpy.data.meshes.new("body")
vertices = [(0.1 * k + x, 0.05 * k * k, 0.5 * k + z) for k in range(4) for x, z in ((0, 0), (0.2, 0.1), (0, 0.3))]
mesh.from_pydata(vertices, [], [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(4)])
body = bpy.data.objects.new("body", mesh)
scene.collection.objects.link(body)
body.parent = rig
for k, name in enumerate(names):
    body.vertex_groups.new(name=name).add([3 * k, 3 * k + 1, 3 * k + 2], 1.0, "REPLACE")
body.modifiers.new("skin", "ARMATURE").object = rig

poses = {
    0: [(0, 0, 0), (0.4, 0, 0), (0, 0.5, 0.1)],
    7: [(0.5, 0.2, 0), (-0.7, 0.4, 0.3), (1.2, 0, 0.9)],
    15: [(0.1, -0.9, 0.4), (0.9, 1.4, 0), (0, -0.6, 0)],
    24: [(0, 0, 1.5), (0, 0.2, 0), (0.3, 0.3, 0.3)],
}
for frame, turns in poses.items():
    for name, turn in zip(names, turns):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Euler(turn).to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    hip = rig.pose.bones["hip"]
    hip.location = (0.02 * frame, math.sin(frame), 0.1)
    hip.keyframe_insert("location", frame=frame)

# glTF's splines have handles of a third; Blender's own are longer.
for curve in rig.animation_data.action.fcurves:
    points = curve.keyframe_points
    slopes = [math.sin(1.7 * k + len(curve.data_path)) * 0.05 for k in range(len(points))]
    for k, point in enumerate(points):
        point.handle_left_type = point.handle_right_type = "FREE"
        before = (point.co.x - points[k - 1].co.x) / 3.0 if k > 0 else 1.0
        after = (points[k + 1].co.x - point.co.x) / 3.0 if k + 1 < len(points) else 1.0
        point.handle_left = (point.co.x - before, point.co.y - before * slopes[k])
        point.handle_right = (point.co.x + after, point.co.y + after * slopes[k])

frames = []
for frame in range(0, 25, 3):
    scene.frame_set(frame)
    heads = {}
    for name in names:
        at = rig.matrix_world @ rig.pose.bones[name].head
        heads[name] = [at.x, at.z, -at.y]  # +Y up
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    moved = [evaluated.matrix_world @ v.co for v in evaluated.data.vertices]
    frames.append({"seconds": frame / 24.0, "heads": heads, "vertices": [[v.x, v.z, -v.y] for v in moved]})
scene.frame_set(0)

camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
camera.location = (3, -4, 2)
camera.rotation_euler = (1.1, 0.1, 0.6)
camera.data.clip_start, camera.data.clip_end = 0.2, 77.0
scene.camera = camera
bpy.context.view_layer.update()
at = [list(row) for row in camera.matrix_world]
projection = [list(row) for row in camera.calc_matrix_camera(bpy.context.evaluated_depsgraph_get(), x=1920, y=1080)]

bpy.ops.export_scene.gltf(filepath=os.path.join(folder, "clip.glb"), export_format="GLB", export_force_sampling=True, export_cameras=True)
# Blender's Bezier curves as they are: cubic splines between four keys.
bpy.ops.export_scene.gltf(
    filepath=os.path.join(folder, "spline.glb"), export_format="GLB", export_force_sampling=False
)
bpy.ops.export_scene.fbx(
    filepath=os.path.join(folder, "clip.fbx"), bake_anim_simplify_factor=0.0, add_leaf_bones=False
)
with open(os.path.join(folder, "expected.json"), "w") as out:
    json.dump({"frames": frames, "camera": {"matrix_world": at, "projection": projection}}, out)
