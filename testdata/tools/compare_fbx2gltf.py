"""Compares what skinlint reads from FBX files with what FBX2glTF, which is built on the FBX SDK, makes of them.

    python3 compare_fbx2gltf.py --skinlint BIN --fbx2gltf BIN [--list] [--keep FOLDER] FILE-OR-FOLDER ...

Compared by name path: the rest world of every node, and per joint of every skin the inverse bind matrix and
where the bind puts the joint. Exit status 0: everything agrees; 1: not; 2: wrong usage.

Both read one scene into metres and +Y up but choose the nodes' own frames differently. skinlint changes basis
everywhere: with `c` the canonical_from_file matrix, a world is c * W * inverse(c). The SDK keeps the frames as
stored: it turns and scales the scene's roots, and FBX2glTF then writes lengths in metres (0.01 of a unit).
So SDK = ours * k, where k is c * 100 without translation. Inverse bind matrices go into vertices from which
FBX2glTF has taken the geometric transform g: theirs = inverse(k) * ours * inverse(g) * k.

What FBX2glTF cannot say is counted apart and is no disagreement:
- "sheared bind": the SDK's class for transforms loses the shear of a TransformLink when it inverts it. The stored
  Transform, which skinlint uses, brings mesh and TransformLink together again, FBX2glTF's matrix does not.
- "inherited scale": nodes that do not take on their parent's scale (InheritType), and what is below them. A glTF
  node cannot; FBX2glTF writes scale 1 or the lengths of a sheared matrix's columns. Such a node's own numbers are
  compared: its origin below its parent, and column lengths unless FBX2glTF wrote 1.
- cameras, which FBX2glTF turns on purpose; names that are there twice.
"""

import argparse
import collections
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5  # of the matrix's own rows; lengths of the scene's reach
IDENTITY = [float(i % 5 == 0) for i in range(16)]


# --- matrices: 16 numbers row by row, column vectors ------------------------------------------------


def times(a, b):
    return [sum(a[4 * r + k] * b[4 * k + c] for k in range(4)) for r in range(4) for c in range(4)]


def inverse(m):
    """Inverse of an affine matrix, None when it has none."""
    a, b, c, d, e, f, g, h, i = m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if not det or not math.isfinite(det):
        return None
    n = [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f]
    n += [d * h - e * g, b * g - a * h, a * e - b * d]
    n = [x / det for x in n]
    t = [-(n[3 * r] * m[3] + n[3 * r + 1] * m[7] + n[3 * r + 2] * m[11]) for r in range(3)]
    return n[0:3] + [t[0]] + n[3:6] + [t[1]] + n[6:9] + [t[2]] + [0.0, 0.0, 0.0, 1.0]


def from_trs(node):
    if "matrix" in node:
        m = node["matrix"]
        return [m[4 * c + r] for r in range(4) for c in range(4)]
    x, y, z, w = node.get("rotation", [0.0, 0.0, 0.0, 1.0])
    s = node.get("scale", [1.0, 1.0, 1.0])
    t = node.get("translation", [0.0, 0.0, 0.0])
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [v for r in range(3) for v in [turn[r][k] * s[k] for k in range(3)] + [t[r]]] + [0.0, 0.0, 0.0, 1.0]


def difference(a, b, reach):
    """Largest difference, of the linear part relative to its largest number, of lengths to `reach`."""
    linear = [k for k in range(11) if k % 4 != 3]
    size = max([abs(b[k]) for k in linear] + [1e-30])
    worst = max(abs(a[k] - b[k]) for k in linear) / size
    length = max([reach] + [abs(b[k]) for k in (3, 7, 11)])
    worst = max([worst] + [abs(a[k] - b[k]) / length for k in (3, 7, 11)])
    return worst if math.isfinite(worst) else math.inf


def columns(m):
    return [[m[4 * r + c] for r in range(3)] for c in range(3)]


def lengths(m):
    return [math.sqrt(sum(x * x for x in column)) for column in columns(m)]


def is_sheared(m):
    a, n = columns(m), lengths(m)
    pairs = ((0, 1), (0, 2), (1, 2))
    return any(abs(sum(x * y for x, y in zip(a[i], a[j]))) > 1e-5 * n[i] * n[j] for i, j in pairs)


# --- the two readings ---------------------------------------------------------------------------


def number(x):
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[x] if isinstance(x, str) else float(x)


def matrix(m):
    return None if m is None else [number(x) for x in m]


def inspect(skinlint, path, space):
    run = subprocess.run(
        [skinlint, "inspect", "--json", "--space", space, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if run.returncode != 0:
        raise RuntimeError("skinlint %d: %s" % (run.returncode, run.stderr.decode(errors="replace").strip()[-200:]))
    return json.loads(run.stdout.decode(errors="replace"))


def paths_of(names, parents):
    """Path of names per node; only paths that are there once identify a node. The SDK drops its own marks of names
    that clash."""
    paths = []
    for k, name in enumerate(names):
        name = re.sub(r"_ncl\d+_\d+$", "", name)
        paths.append((paths[parents[k]] if parents[k] >= 0 else ()) + (name,))
    return paths


class Ours:
    def __init__(self, skinlint, path):
        data = inspect(skinlint, path, "canonical")
        nodes = data["nodes"]
        self.paths = paths_of([n["name"] for n in nodes], [n["parent"] for n in nodes])
        self.worlds = [matrix(n["world_from_node"]) for n in nodes]
        self.locals = [matrix(n["parent_from_node"]) for n in nodes]
        self.roots = [n["parent"] < 0 for n in nodes]
        self.bindings = data["bindings"]
        axes = [data["axes"][k] for k in ("right", "up", "front")]
        if "unknown" in axes:
            axes = ["+X", "+Y", "+Z"]
        k = [0.0] * 16
        for row, axis in enumerate(axes):
            k[4 * row + "XYZ".index(axis[1])] = (100.0 * data["unit_meters"]) * (-1.0 if axis[0] == "-" else 1.0)
        k[15] = 1.0
        self.k = k


class Theirs:
    def __init__(self, path):
        with open(path, "rb") as source:
            data = source.read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20 : 20 + length].decode(errors="replace"))
        self.bin = data[28 + length :]
        nodes = self.json.get("nodes", [])
        self.nodes = nodes
        parent = [-1] * len(nodes)
        for k, node in enumerate(nodes):
            for child in node.get("children", []):
                parent[child] = k
        order, stack = [], [k for k in range(len(nodes)) if parent[k] < 0]
        while stack:
            order.append(stack.pop())
            stack += nodes[order[-1]].get("children", [])
        paths, worlds = {}, {}
        for k in order:
            above = parent[k]
            # The scene's own root node is none of the file's nodes.
            paths[k] = () if above < 0 else paths[above] + (nodes[k].get("name", ""),)
            worlds[k] = from_trs(nodes[k])
            if above >= 0:
                worlds[k] = times(worlds[above], worlds[k])
        self.paths = [paths[k] for k in range(len(nodes))]
        self.worlds = [worlds[k] for k in range(len(nodes))]

    def skins(self):
        """Per skinned node: node, joints' nodes, inverse bind matrices."""
        for k, node in enumerate(self.json.get("nodes", [])):
            if "skin" not in node:
                continue
            skin = self.json["skins"][node["skin"]]
            accessor = self.json["accessors"][skin["inverseBindMatrices"]]
            view = self.json["bufferViews"][accessor["bufferView"]]
            at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            matrices = []
            for j in range(len(skin["joints"])):
                m = struct.unpack_from("<16f", self.bin, at + 64 * j)
                matrices.append([m[4 * c + r] for r in range(4) for c in range(4)])
            yield k, skin["joints"], matrices


def same_numbers(ours, k, node, reach):
    """Whether a node's own numbers agree though its world cannot: see "inherited scale"."""
    local = times(times(inverse(ours.k), ours.locals[k]), ours.k) if not ours.roots[k] else times(ours.locals[k], ours.k)
    length = max([reach] + [abs(local[i]) for i in (3, 7, 11)])
    at = node.get("translation", [0.0, 0.0, 0.0])
    if any(not abs(local[4 * r + 3] - at[r]) <= TOLERANCE * length for r in range(3)):
        return False
    scale = node.get("scale", [1.0, 1.0, 1.0])
    return scale == [1.0, 1.0, 1.0] or all(
        abs(abs(x) - y) <= TOLERANCE * max(y, 1.0) for x, y in zip(scale, lengths(local))
    )


def compare(skinlint, path, glb, inherits):
    """Yields (aspect, name, difference); difference None where there is nothing to compare with."""
    ours, theirs = Ours(skinlint, path), Theirs(glb)
    back = inverse(ours.k)
    reach = max([1e-3] + [abs(w[i]) for w in theirs.worlds for i in (3, 7, 11) if math.isfinite(w[i])])
    mine = collections.defaultdict(list)
    for k, p in enumerate(ours.paths):
        mine[p].append(k)
    seen = collections.Counter(theirs.paths)
    for k, p in enumerate(theirs.paths):
        if not p or seen[p] != 1:
            continue
        if len(mine[p]) != 1:
            yield "node", "/".join(p), None
            continue
        if "camera" in theirs.nodes[k]:
            continue
        n = mine[p][0]
        value = difference(times(ours.worlds[n], ours.k), theirs.worlds[k], reach)
        if value > TOLERANCE and inherits:
            yield "inherited scale", "/".join(p), 0.0 if same_numbers(ours, n, theirs.nodes[k], reach) else value
            continue
        yield "world", "/".join(p), value
    by_name = collections.defaultdict(list)
    for b in ours.bindings:
        by_name[re.sub(r"_ncl\d+_\d+$", "", b["mesh_node"])].append(b)
    skinned = list(theirs.skins())
    namesakes = collections.Counter(theirs.paths[k][-1] for k, _, _ in skinned if theirs.paths[k])
    for k, joints, matrices in skinned:
        p = theirs.paths[k]
        label = "/".join(p)
        if not p or namesakes[p[-1]] != 1 or len(by_name[p[-1]]) > 1:
            yield "ambiguous skin", label, 0.0
            continue
        if not by_name[p[-1]]:
            yield "skin", label, None
            continue
        binding = by_name[p[-1]][0]
        geometric = inverse(matrix(binding["node_from_geometry"]))
        slots = collections.defaultdict(list)
        for slot in binding["joints"]:
            if slot["node"] >= 0:
                slots[ours.paths[slot["node"]]].append(slot)
        wanted = collections.Counter(theirs.paths[j] for j in joints)
        for joint, their in zip(joints, matrices):
            name = theirs.paths[joint]
            if wanted[name] != 1:
                continue
            if len(slots[name]) != 1 or slots[name][0]["joint_from_mesh"] is None or geometric is None:
                yield "joint", label + " < " + "/".join(name), None
                continue
            our = times(matrix(slots[name][0]["joint_from_mesh"]), geometric)
            value = difference(times(back, times(our, ours.k)), their, reach)
            bound = matrix(slots[name][0]["bind_world_from_joint"])
            if value > TOLERANCE and bound is not None and is_sheared(bound):
                stands = times(bound, matrix(slots[name][0]["joint_from_mesh"]))
                mesh = times(matrix(binding["world_from_node"]), matrix(binding["node_from_geometry"]))
                yield "sheared bind", label + " < " + name[-1], difference(stands, mesh, reach)
                continue
            yield "inverse bind", label + " < " + name[-1], value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skinlint", required=True)
    parser.add_argument("--fbx2gltf", required=True)
    parser.add_argument("--list", action="store_true", help="every disagreement, not the worst of each aspect")
    parser.add_argument("--keep", help="folder for the converted files, used again")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    files = []
    for path in options.paths:
        if os.path.isdir(path):
            files += [os.path.join(d, n) for d, _, names in os.walk(path) for n in names if n.lower().endswith(".fbx")]
        else:
            files.append(path)
    totals, failed, refused, bad_files = collections.Counter(), collections.Counter(), 0, 0
    worst_agreeing = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for path in sorted(files):
            out = os.path.join(folder, path.strip("/").replace("/", "_").replace(" ", "_"))
            if not os.path.exists(out + ".glb") and not os.path.exists(out + ".refused"):
                command = [options.fbx2gltf, "-b", "-i", path, "-o", out, "--fbx-temp-dir", folder]
                try:
                    with open(out + ".log", "wb") as log:
                        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=120)
                    refusal = "status %d" % done.returncode if done.returncode else ""
                except subprocess.TimeoutExpired:
                    refusal = "time"
                if refusal or not os.path.exists(out + ".glb"):
                    open(out + ".refused", "w").close()
            if os.path.exists(out + ".refused"):
                refused += 1
                print("refused %s" % path)
                continue
            try:
                with open(out + ".log", errors="replace") as log:
                    inherits = "transform inheritance type" in log.read()
                results = list(compare(options.skinlint, path, out + ".glb", inherits))
            except (RuntimeError, ValueError, KeyError, struct.error) as problem:
                print("FAILED %s: %r" % (path, problem))
                failed["file"] += 1
                continue
            worst = {}
            for aspect, name, value in results:
                totals[aspect] += 1
                if value is not None and value <= TOLERANCE:
                    worst_agreeing = max(worst_agreeing, value)
                    continue
                failed[aspect] += 1
                count, before = worst.get(aspect, (0, (-1.0, "")))
                worst[aspect] = (count + 1, max(before, (math.inf if value is None else value, name)))
                if options.list:
                    print("  %s %s: %s" % (aspect, name, value))
            bad_files += bool(worst)
            for aspect, (count, (value, name)) in sorted(worst.items()):
                print("DIFFERS %s: %d x %s, worst %.3g at %s" % (path, count, aspect, value, name))
    print("%d files, %d refused by FBX2glTF, %d differ" % (len(files), refused, bad_files))
    for aspect in sorted(totals):
        print("%-13s %6d of %6d agree" % (aspect, totals[aspect] - failed[aspect], totals[aspect]))
    print("largest difference that counts as agreement: %.2g" % worst_agreeing)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
