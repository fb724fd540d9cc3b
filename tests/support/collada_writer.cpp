#include "support/collada_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace skinlint::test {
namespace {

std::string numbers(const Mat4& m) {
  std::string out;
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index k = 0; k < 4; ++k)
      out += fmt::format("{}{:.9g}", out.empty() ? "" : " ", m(i, k));
  }
  return out;
}

class Writer {
 public:
  Writer(const Rig& rig, const ColladaWriteOptions& options) : rig_(rig), options_(options) {
    to_file_ = canonical_from_collada(options).inverse();
  }

  std::string write() {
    out_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
        "<asset><contributor><authoring_tool>{}</authoring_tool></contributor>"
        "<created>2024-01-01T00:00:00</created><modified>2024-01-01T00:00:00</modified>"
        "<unit name=\"unit\" meter=\"{:.9g}\"/><up_axis>{}_UP</up_axis></asset>\n",
        rig_.generator, options_.unit_meters, options_.up);
    materials();
    out_ += "<library_geometries>\n";
    for (std::size_t m = 0; m < rig_.meshes.size(); ++m) geometry(m);
    out_ += "</library_geometries>\n<library_controllers>\n";
    for (std::size_t i = 0; i < rig_.instances.size(); ++i) {
      if (rig_.instances[i].skin >= 0) controller(i);
    }
    out_ += "</library_controllers>\n";
    animations();
    out_ += "<library_visual_scenes><visual_scene id=\"Scene\" name=\"Scene\">\n";
    for (std::size_t n = 0; n < rig_.nodes.size(); ++n) {
      if (rig_.nodes[n].parent < 0) node(n);
    }
    out_ +=
        "</visual_scene></library_visual_scenes>\n"
        "<scene><instance_visual_scene url=\"#Scene\"/></scene>\n</COLLADA>\n";
    return std::move(out_);
  }

 private:
  Mat4 stored(const Mat4& m) const { return to_file_ * m * to_file_.inverse(); }

  void materials() {
    std::size_t most = 0;
    for (const RigMesh& mesh : rig_.meshes) most = std::max(most, mesh.parts.size());
    if (!options_.materials) return;
    out_ += "<library_effects>";
    for (std::size_t p = 0; p < most; ++p) {
      out_ += fmt::format(
          "<effect id=\"e{0}\"><profile_COMMON><technique "
          "sid=\"common\"><lambert><diffuse><color>{1} "
          "1 1 1</color></diffuse></lambert></technique></profile_COMMON></effect>",
          p, p % 2);
    }
    out_ += "</library_effects><library_materials>";
    for (std::size_t p = 0; p < most; ++p) {
      out_ += fmt::format("<material id=\"m{0}\"><instance_effect url=\"#e{0}\"/></material>", p);
    }
    out_ += "</library_materials>\n";
  }

  void source(const std::string& id, const std::string& kind, std::size_t count, std::size_t stride,
              const std::string& params, const std::string& values) {
    out_ += fmt::format(
        "<source id=\"{0}\"><{1} id=\"{0}-array\" count=\"{2}\">{3}</{1}><technique_common>"
        "<accessor source=\"#{0}-array\" count=\"{4}\" stride=\"{5}\">{6}</accessor>"
        "</technique_common></source>\n",
        id, kind, count, values, count / stride, stride, params);
  }

  void geometry(std::size_t m) {
    std::string positions;
    std::size_t count = 0;
    for (const RigPart& part : rig_.meshes[m].parts) {
      for (const Vec3& p : part.positions) {
        const Vec3 q = transform_point(to_file_, p);
        positions += fmt::format("{:.9g} {:.9g} {:.9g} ", q[0], q[1], q[2]);
        ++count;
      }
    }
    out_ += fmt::format("<geometry id=\"g{}\" name=\"{}\"><mesh>\n", m, rig_.meshes[m].name);
    source(fmt::format("g{}-positions", m), "float_array", 3 * count, 3,
           "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
           "<param name=\"Z\" type=\"float\"/>",
           positions);
    out_ += fmt::format(
        "<vertices id=\"g{0}-vertices\"><input semantic=\"POSITION\" source=\"#g{0}-positions\"/>"
        "</vertices>\n",
        m);
    std::size_t first = 0;
    for (std::size_t p = 0; p < rig_.meshes[m].parts.size(); ++p) {
      const RigPart& part = rig_.meshes[m].parts[p];
      out_ += fmt::format(
          "<triangles count=\"{}\"{}><input semantic=\"VERTEX\" "
          "source=\"#g{}-vertices\" offset=\"0\"/><p>",
          part.triangles.size() / 3, options_.materials ? fmt::format(" material=\"m{}\"", p) : "",
          m);
      for (const std::uint32_t v : part.triangles) out_ += fmt::format("{} ", first + v);
      out_ += "</p></triangles>\n";
      first += part.positions.size();
    }
    out_ += "</mesh></geometry>\n";
  }

  void controller(std::size_t i) {
    const RigInstance& instance = rig_.instances[i];
    const RigMesh& mesh = rig_.meshes[static_cast<std::size_t>(instance.mesh)];
    const RigSkin& skin = rig_.skins[static_cast<std::size_t>(instance.skin)];
    if (!skin.joint_from_mesh) throw std::logic_error("COLLADA needs inverse bind matrices");
    std::string names, matrices, weights, counts, pairs;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      names += rig_.nodes[static_cast<std::size_t>(skin.joints[j])].name + " ";
      matrices += numbers(stored((*skin.joint_from_mesh)[j])) + " ";
    }
    std::size_t weight_count = 0;
    for (const RigPart& part : mesh.parts) {
      for (std::size_t v = 0; v < part.positions.size(); ++v) {
        const std::size_t n = part.influences.empty() ? 0 : part.influences[v].size();
        counts += fmt::format("{} ", n);
        for (std::size_t k = 0; k < n; ++k) {
          pairs += fmt::format("{} {} ", part.influences[v][k].joint, weight_count++);
          weights += fmt::format("{:.9g} ", part.influences[v][k].weight);
        }
      }
    }
    out_ += fmt::format(
        "<controller id=\"c{}\"><skin source=\"#g{}\"><bind_shape_matrix>{}</bind_shape_matrix>\n",
        i, instance.mesh, numbers(Mat4::Identity()));
    source(fmt::format("c{}-joints", i), "Name_array", skin.joints.size(), 1,
           "<param name=\"JOINT\" type=\"name\"/>", names);
    source(fmt::format("c{}-bind", i), "float_array", 16 * skin.joints.size(), 16,
           "<param name=\"TRANSFORM\" type=\"float4x4\"/>", matrices);
    source(fmt::format("c{}-weights", i), "float_array", weight_count, 1,
           "<param name=\"WEIGHT\" type=\"float\"/>", weights);
    std::size_t vertices = 0;
    for (const RigPart& part : mesh.parts) vertices += part.positions.size();
    out_ += fmt::format(
        "<joints><input semantic=\"JOINT\" source=\"#c{0}-joints\"/>"
        "<input semantic=\"INV_BIND_MATRIX\" source=\"#c{0}-bind\"/></joints>\n"
        "<vertex_weights count=\"{1}\"><input semantic=\"JOINT\" source=\"#c{0}-joints\" "
        "offset=\"0\"/><input semantic=\"WEIGHT\" source=\"#c{0}-weights\" offset=\"1\"/>"
        "<vcount>{2}</vcount><v>{3}</v></vertex_weights></skin></controller>\n",
        i, vertices, counts, pairs);
  }

  bool is_joint(std::size_t n) const {
    return std::any_of(rig_.skins.begin(), rig_.skins.end(), [n](const RigSkin& skin) {
      return std::find(skin.joints.begin(), skin.joints.end(), static_cast<int>(n)) !=
             skin.joints.end();
    });
  }

  void node(std::size_t n) {
    const RigNode& from = rig_.nodes[n];
    out_ += fmt::format(
        "<node id=\"{0}\" sid=\"{0}\" name=\"{0}\" type=\"{1}\"><matrix sid=\"transform\">{2}"
        "</matrix>",
        from.name, is_joint(n) ? "JOINT" : "NODE", numbers(stored(from.parent_from_node())));
    for (std::size_t i = 0; i < rig_.instances.size(); ++i) {
      const RigInstance& instance = rig_.instances[i];
      if (instance.node != static_cast<int>(n)) continue;
      const std::string what = instance.skin < 0 ? "geometry" : "controller";
      out_ += fmt::format("<instance_{} url=\"#{}{}\">", what, instance.skin < 0 ? "g" : "c",
                          instance.skin < 0 ? static_cast<std::size_t>(instance.mesh) : i);
      if (instance.skin >= 0) {
        const RigSkin& skin = rig_.skins[static_cast<std::size_t>(instance.skin)];
        for (const int joint : skin.joints) {
          const int parent = rig_.nodes[static_cast<std::size_t>(joint)].parent;
          if (parent < 0 || !is_joint(static_cast<std::size_t>(parent))) {
            out_ += fmt::format("<skeleton>#{}</skeleton>",
                                rig_.nodes[static_cast<std::size_t>(joint)].name);
          }
        }
      }
      if (options_.materials) {
        out_ += "<bind_material><technique_common>";
        const std::size_t parts = rig_.meshes[static_cast<std::size_t>(instance.mesh)].parts.size();
        for (std::size_t p = 0; p < parts; ++p)
          out_ += fmt::format("<instance_material symbol=\"m{0}\" target=\"#m{0}\"/>", p);
        out_ += "</technique_common></bind_material>";
      }
      out_ += fmt::format("</instance_{}>", what);
    }
    out_ += "\n";
    for (std::size_t c = 0; c < rig_.nodes.size(); ++c) {
      if (rig_.nodes[c].parent == static_cast<int>(n)) node(c);
    }
    out_ += "</node>\n";
  }

  void animations() {
    if (rig_.clips.empty()) return;
    out_ += "<library_animations>\n";
    std::map<int, std::vector<const RigChannel*>> by_node;
    for (const RigChannel& channel : rig_.clips.front().channels)
      by_node[channel.node].push_back(&channel);
    for (const auto& [n, channels] : by_node) animation(n, channels);
    out_ += "</library_animations>\n";
  }

  void animation(int n, const std::vector<const RigChannel*>& channels) {
    const std::vector<double>& times = channels.front()->times;
    std::string stamps, matrices, kinds;
    for (std::size_t k = 0; k < times.size(); ++k) {
      RigNode keyed = rig_.nodes[static_cast<std::size_t>(n)];
      for (const RigChannel* channel : channels) {
        if (channel->times != times) throw std::logic_error("one node, one list of key times");
        if (channel->path == ChannelPath::translation)
          keyed.translation = Vec3(channel->values.data() + 3 * k);
        if (channel->path == ChannelPath::rotation)
          keyed.rotation = Vec4(channel->values.data() + 4 * k);
        if (channel->path == ChannelPath::scale) keyed.scale = Vec3(channel->values.data() + 3 * k);
      }
      stamps += fmt::format("{:.9g} ", times[k]);
      matrices += numbers(stored(keyed.parent_from_node())) + " ";
      kinds += "LINEAR ";
    }
    const std::string& name = rig_.nodes[static_cast<std::size_t>(n)].name;
    out_ += fmt::format("<animation id=\"a{}\">\n", n);
    source(fmt::format("a{}-in", n), "float_array", times.size(), 1,
           "<param name=\"TIME\" type=\"float\"/>", stamps);
    source(fmt::format("a{}-out", n), "float_array", 16 * times.size(), 16,
           "<param name=\"TRANSFORM\" type=\"float4x4\"/>", matrices);
    source(fmt::format("a{}-kind", n), "Name_array", times.size(), 1,
           "<param name=\"INTERPOLATION\" type=\"name\"/>", kinds);
    out_ += fmt::format(
        "<sampler id=\"a{0}-sampler\"><input semantic=\"INPUT\" source=\"#a{0}-in\"/>"
        "<input semantic=\"OUTPUT\" source=\"#a{0}-out\"/>"
        "<input semantic=\"INTERPOLATION\" source=\"#a{0}-kind\"/></sampler>"
        "<channel source=\"#a{0}-sampler\" target=\"{1}/transform\"/></animation>\n",
        n, name);
  }

  const Rig& rig_;
  const ColladaWriteOptions& options_;
  Mat4 to_file_;
  std::string out_;
};

}  // namespace

Mat4 canonical_from_collada(const ColladaWriteOptions& options) {
  Mat3 turn = Mat3::Identity();
  if (options.up == 'Z') turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  if (options.up == 'X') turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = turn * options.unit_meters;
  return m;
}

std::string write_collada(const Rig& rig, const ColladaWriteOptions& options) {
  return Writer(rig, options).write();
}

}  // namespace skinlint::test
