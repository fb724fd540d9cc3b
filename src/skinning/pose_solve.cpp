#include "skinning/pose_solve.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "skinning/bound_mesh.h"
#include "skinning/evaluator.h"

namespace skinlint {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Influence {
  std::uint32_t joint = 0;
  double weight = 0.0;
};
struct Offset {
  std::uint32_t morph = 0;
  Vec3 value = Vec3::Zero();  // world at bind
};
/// Everything about one vertex; ranges into the flat arrays.
struct Vertex {
  Vec3 bind = Vec3::Zero(), target = Vec3::Zero();
  std::uint32_t first_influence = 0, influences = 0, first_offset = 0, offsets = 0;
  std::size_t number = 0;
};
struct Joint {
  std::int32_t node = -1;
  Mat4 bind_world = Mat4::Identity();
  Mat4 motion = Mat4::Identity();
  double weight = 0.0, spread = 1.0;
  Vec3 centre = Vec3::Zero();  // of what it moves, at bind
};

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

class Solver {
 public:
  Solver(const Asset& asset, const std::vector<SolveBinding>& bindings, const SolveOptions& options)
      : asset_(asset), bindings_(bindings), options_(options) {}

  /// Empty, or what is wrong.
  std::string gather(const std::vector<Vec3>& target) {
    std::vector<std::int32_t> joint_of(asset_.nodes.size(), -1);
    for (const SolveBinding& b : bindings_) {
      const BoundMesh mesh = bound_mesh(asset_, b.binding, b.bind, b.size);
      size_ = std::max(size_, b.size);
      first_vertex_.push_back(total_);
      first_morph_.push_back(morphs_);
      const std::size_t count = mesh.point_of_vertex.size();
      const Mesh& stored = asset_.meshes[static_cast<std::size_t>(asset_.bindings[b.binding].mesh)];
      const std::size_t targets = options_.morphs ? stored.morphs.size() : 0;
      const std::vector<std::vector<Offset>> offsets = gather_offsets(stored, mesh, b, targets);
      for (std::size_t v = 0; v < count; ++v) {
        const std::uint32_t point = mesh.point_of_vertex[v];
        if (point == BoundMesh::kNoPoint || total_ + v >= target.size()) continue;
        Vertex vertex;
        vertex.bind = mesh.positions[point];
        vertex.target = target[total_ + v];
        vertex.number = total_ + v;
        vertex.first_influence = static_cast<std::uint32_t>(influences_.size());
        const auto joints = mesh.joints_of(point);
        const auto weights = mesh.weights_of(point);
        for (std::size_t k = 0; k < joints.size(); ++k) {
          const BoundJoint& bone = mesh.bones[joints[k]];
          std::int32_t& joint = joint_of[static_cast<std::size_t>(bone.node)];
          if (joint < 0) {
            joint = static_cast<std::int32_t>(joints_.size());
            joints_.push_back({bone.node, bone.world, Mat4::Identity(), 0.0, 1.0, Vec3::Zero()});
          }
          influences_.push_back({static_cast<std::uint32_t>(joint), weights[k]});
        }
        vertex.influences = static_cast<std::uint32_t>(joints.size());
        vertex.first_offset = static_cast<std::uint32_t>(offsets_.size());
        offsets_.insert(offsets_.end(), offsets[v].begin(), offsets[v].end());
        vertex.offsets = static_cast<std::uint32_t>(offsets[v].size());
        vertices_.push_back(vertex);
      }
      total_ += count;
      morphs_ += targets;
      left_out_ += mesh.left_out;
    }
    if (total_ != target.size()) {
      return fmt::format("the target has {} vertices, the mesh has {}", target.size(), total_);
    }
    for (std::size_t v = 0; v < target.size(); ++v) {
      if (!target[v].allFinite()) return fmt::format("vertex {} of the target is not finite", v);
    }
    if (vertices_.empty()) return "no vertex of the mesh can be evaluated";
    activations_.assign(morphs_, 0.0);
    measure_spread();
    return {};
  }

  Solution solve() {
    start();
    double lambda = 1e-3;
    double error = squared_error();
    const double enough = 1e-24 * size_ * size_ * static_cast<double>(vertices_.size());
    int round = 0, stuck = 0;
    while (round < options_.max_rounds && error > enough && stuck < 8) {
      ++round;
      linearise();
      const std::vector<Joint> joints = joints_;
      const std::vector<double> activations = activations_;
      bool better = false;
      double gain = 0.0;
      for (int attempt = 0; attempt < 6 && !better; ++attempt) {
        step(lambda);
        const double now = squared_error();
        better = now < error;
        if (better) {
          gain = (error - now) / error;
          error = now;
          lambda = std::max(lambda * 0.1, options_.ridge);
        } else {
          joints_ = joints;
          activations_ = activations;
          lambda *= 10.0;
        }
      }
      if (!better) break;
      stuck = gain < 1e-6 ? stuck + 1 : 0;
    }
    return conclude(round);
  }

 private:
  std::vector<std::vector<Offset>> gather_offsets(const Mesh& stored, const BoundMesh& mesh,
                                                  const SolveBinding& b, std::size_t targets) {
    std::vector<std::vector<Offset>> offsets(mesh.point_of_vertex.size());
    const Mat3 bind = linear(b.bind);
    for (std::size_t t = 0; t < targets; ++t) {
      std::vector<double> one(t + 1, 0.0);
      one[t] = 1.0;
      for (std::size_t p = 0; p < stored.parts.size(); ++p) {
        std::vector<Vec3> values(stored.parts[p].vertex_count, Vec3::Zero());
        add_morphs(stored, p, one, 0, values);
        for (std::size_t v = 0; v < values.size(); ++v) {
          if (values[v].isZero(0.0) || !values[v].allFinite()) continue;
          offsets[mesh.part_first[p] + v].push_back(
              {static_cast<std::uint32_t>(morphs_ + t), bind * values[v]});
        }
      }
    }
    return offsets;
  }

  /// Parameters are scaled so that one unit of each moves its vertices about one metre: lambda then
  /// weighs turns, shifts and activations alike.
  void measure_spread() {
    for (const Vertex& v : vertices_) {
      for (std::uint32_t k = 0; k < v.influences; ++k) {
        const Influence& i = influences_[v.first_influence + k];
        joints_[i.joint].weight += i.weight;
        joints_[i.joint].centre += i.weight * v.bind;
      }
    }
    for (Joint& j : joints_) j.centre /= j.weight;
    std::vector<double> squared(joints_.size(), 0.0);
    for (const Vertex& v : vertices_) {
      for (std::uint32_t k = 0; k < v.influences; ++k) {
        const Influence& i = influences_[v.first_influence + k];
        squared[i.joint] += i.weight * (v.bind - joints_[i.joint].centre).squaredNorm();
      }
    }
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      joints_[j].spread = std::max(std::sqrt(squared[j] / joints_[j].weight), 1e-3 * size_);
    }
    morph_scale_.assign(morphs_, 0.0);
    std::vector<double> counts(morphs_, 0.0);
    for (const Offset& o : offsets_) {
      morph_scale_[o.morph] += o.value.squaredNorm();
      counts[o.morph] += 1.0;
    }
    for (std::size_t t = 0; t < morphs_; ++t)
      morph_scale_[t] = counts[t] > 0.0 ? std::sqrt(morph_scale_[t] / counts[t]) : 1.0;
  }

  /// The rigid motion that takes each joint's own vertices to their targets best (Kabsch 1976),
  /// weighted by the square of the weight: shared vertices say little about one joint.
  void start() {
    struct Moments {
      double weight = 0.0;
      Vec3 from = Vec3::Zero(), to = Vec3::Zero();
      Mat3 product = Mat3::Zero(), square = Mat3::Zero();
    };
    std::vector<Moments> all(joints_.size() + 1);
    const auto add = [](Moments& m, double w, const Vec3& from, const Vec3& to) {
      m.weight += w;
      m.from += w * from;
      m.to += w * to;
      m.product += w * to * from.transpose();
      m.square += w * from * from.transpose();
    };
    for (const Vertex& v : vertices_) {
      add(all.back(), 1.0, v.bind, v.target);
      for (std::uint32_t k = 0; k < v.influences; ++k) {
        const Influence& i = influences_[v.first_influence + k];
        add(all[i.joint], i.weight * i.weight, v.bind, v.target);
      }
    }
    const auto fit = [&](const Moments& m, Mat4& motion) {
      if (!(m.weight > 0.0)) return false;
      const Vec3 from = m.from / m.weight, to = m.to / m.weight;
      const Mat3 spread = m.square / m.weight - from * from.transpose();
      const Eigen::SelfAdjointEigenSolver<Mat3> shape(spread);
      // Two dimensions at least: a line of vertices says nothing about turns around it.
      if (!(shape.eigenvalues()(1) > 1e-8 * size_ * size_)) return false;
      const Eigen::JacobiSVD<Mat3> svd(Mat3(m.product / m.weight - to * from.transpose()),
                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
      Mat3 sign = Mat3::Identity();
      sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
      const Mat3 rotation = svd.matrixU() * sign * svd.matrixV().transpose();
      motion = Mat4::Identity();
      motion.topLeftCorner<3, 3>() = rotation;
      motion.topRightCorner<3, 1>() = to - rotation * from;
      return true;
    };
    Mat4 whole = Mat4::Identity();
    if (!fit(all.back(), whole))
      whole.topRightCorner<3, 1>() = (all.back().to - all.back().from) / all.back().weight;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      if (!fit(all[j], joints_[j].motion)) joints_[j].motion = whole;
    }
  }

  /// Where the vertex is with the present parameters, before joints: morphs alone.
  Vec3 morphed(const Vertex& v) const {
    Vec3 p = v.bind;
    for (std::uint32_t k = 0; k < v.offsets; ++k) {
      const Offset& o = offsets_[v.first_offset + k];
      p += activations_[o.morph] * o.value;
    }
    return p;
  }
  Vec3 posed(const Vertex& v) const {
    const Vec3 p = morphed(v);
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t k = 0; k < v.influences; ++k) {
      const Influence& i = influences_[v.first_influence + k];
      sum += i.weight * transform_point(joints_[i.joint].motion, p);
    }
    return sum;
  }
  double squared_error() const {
    double sum = 0.0;
    for (const Vertex& v : vertices_) sum += (v.target - posed(v)).squaredNorm();
    return sum;
  }

  /// Normal equations of the linearised problem: six parameters a joint (turn about the moved
  /// centre, shift), one a morph target.
  void linearise() {
    const auto n = static_cast<Eigen::Index>(6 * joints_.size() + morphs_);
    normal_ = Matrix::Zero(n, n);
    right_ = Vector::Zero(n);
    std::vector<Eigen::Matrix<double, 3, 6>> turns;
    std::vector<Vec3> grows;
    for (const Vertex& v : vertices_) {
      const Vec3 p = morphed(v);
      turns.resize(v.influences);
      grows.resize(v.offsets);
      Mat3 turned = Mat3::Zero();
      Vec3 at = Vec3::Zero();
      for (std::uint32_t k = 0; k < v.influences; ++k) {
        const Influence& i = influences_[v.first_influence + k];
        const Joint& joint = joints_[i.joint];
        const Vec3 q = transform_point(joint.motion, p);
        const Vec3 arm = q - transform_point(joint.motion, joint.centre);
        turns[k] << -i.weight / joint.spread * cross_matrix(arm), i.weight * Mat3::Identity();
        turned += i.weight * linear(joint.motion);
        at += i.weight * q;
      }
      const Vec3 residual = v.target - at;
      for (std::uint32_t k = 0; k < v.offsets; ++k) {
        const Offset& o = offsets_[v.first_offset + k];
        grows[k] = turned * o.value / morph_scale_[o.morph];
      }
      for (std::uint32_t a = 0; a < v.influences; ++a) {
        const Eigen::Index row = 6 * influences_[v.first_influence + a].joint;
        right_.segment<6>(row) += turns[a].transpose() * residual;
        for (std::uint32_t b = 0; b < v.influences; ++b) {
          const Eigen::Index column = 6 * influences_[v.first_influence + b].joint;
          normal_.block<6, 6>(row, column) += turns[a].transpose() * turns[b];
        }
        for (std::uint32_t b = 0; b < v.offsets; ++b) {
          const Eigen::Index column = morph_row(offsets_[v.first_offset + b].morph);
          const Eigen::Matrix<double, 6, 1> product = turns[a].transpose() * grows[b];
          normal_.block<6, 1>(row, column) += product;
          normal_.block<1, 6>(column, row) += product.transpose();
        }
      }
      for (std::uint32_t a = 0; a < v.offsets; ++a) {
        const Eigen::Index row = morph_row(offsets_[v.first_offset + a].morph);
        right_(row) += grows[a].dot(residual);
        for (std::uint32_t b = 0; b < v.offsets; ++b)
          normal_(row, morph_row(offsets_[v.first_offset + b].morph)) += grows[a].dot(grows[b]);
      }
    }
    // The largest eigenvalue is the square of the largest singular value.
    Vector direction = Vector::Ones(n);
    for (int i = 0; i < 30; ++i) {
      const Vector next = normal_ * direction;
      const double length = next.norm();
      if (!(length > 0.0)) break;
      direction = next / length;
      largest_ = length;
    }
  }

  Eigen::Index morph_row(std::uint32_t morph) const {
    return static_cast<Eigen::Index>(6 * joints_.size() + morph);
  }

  void step(double lambda) {
    Matrix damped = normal_;
    damped.diagonal().array() += lambda * lambda * largest_;
    const Vector change = damped.ldlt().solve(right_);
    if (!change.allFinite()) return;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const auto row = static_cast<Eigen::Index>(6 * j);
      Joint& joint = joints_[j];
      const Vec3 turn = change.segment<3>(row) / joint.spread;
      const Vec3 shift = change.segment<3>(row + 3);
      const double angle = turn.norm();
      const Mat3 rotation = angle > 0.0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()
                                        : Mat3(Mat3::Identity());
      const Vec3 centre = transform_point(joint.motion, joint.centre);
      Mat4 moved = Mat4::Identity();
      const Quat exact(Mat3(rotation * linear(joint.motion)));
      moved.topLeftCorner<3, 3>() = exact.normalized().toRotationMatrix();
      moved.topRightCorner<3, 1>() = centre + shift - linear(moved) * joint.centre;
      joint.motion = moved;
    }
    for (std::size_t t = 0; t < morphs_; ++t)
      activations_[t] += change(morph_row(static_cast<std::uint32_t>(t))) / morph_scale_[t];
  }

  Solution conclude(int rounds) {
    Solution out;
    out.rounds = rounds;
    out.left_out = left_out_;
    out.residual.assign(total_, std::numeric_limits<double>::quiet_NaN());
    double sum = 0.0;
    for (const Vertex& v : vertices_) {
      const double distance = (v.target - posed(v)).norm();
      out.residual[v.number] = distance;
      sum += distance * distance;
      if (distance < out.largest) continue;
      out.largest = distance;
      out.worst = v.number;
    }
    out.root_mean_square = std::sqrt(sum / static_cast<double>(vertices_.size()));
    for (std::size_t b = 0; b < bindings_.size(); ++b) {
      const std::size_t end = b + 1 < bindings_.size() ? first_morph_[b + 1] : morphs_;
      out.morphs.emplace_back(activations_.begin() + static_cast<std::ptrdiff_t>(first_morph_[b]),
                              activations_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    linearise();
    std::vector<std::size_t> order(joints_.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return joints_[a].node < joints_[b].node; });
    std::vector<std::int32_t> joint_of(asset_.nodes.size(), -1);
    for (std::size_t j = 0; j < joints_.size(); ++j)
      joint_of[static_cast<std::size_t>(joints_[j].node)] = static_cast<std::int32_t>(j);
    for (const std::size_t j : order) out.joints.push_back(describe(j, joint_of));
    return out;
  }

  SolvedJoint describe(std::size_t index, const std::vector<std::int32_t>& joint_of) const {
    const Joint& joint = joints_[index];
    SolvedJoint out;
    out.node = joint.node;
    out.weight = joint.weight;
    out.world_from_joint = joint.motion * joint.bind_world;
    const auto row = static_cast<Eigen::Index>(6 * index);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> block(
        Eigen::Matrix<double, 6, 6>(normal_.block<6, 6>(row, row)));
    out.determined = block.eigenvalues()(0) > 1e-9 * largest_;
    Mat4 above = Mat4::Identity();
    for (std::int32_t n = asset_.nodes[static_cast<std::size_t>(joint.node)].parent; n >= 0;
         n = asset_.nodes[static_cast<std::size_t>(n)].parent) {
      if (joint_of[static_cast<std::size_t>(n)] < 0) continue;
      above = joints_[static_cast<std::size_t>(joint_of[static_cast<std::size_t>(n)])].motion;
      break;
    }
    // The joint's own motion after the one above has carried it, in its axes as carried:
    // motion = above * own, own about the bind axes.
    const Mat4 own = affine_inverse(above).value_or(Mat4::Identity()) * joint.motion;
    const TransformParts bind = decompose(joint.bind_world);
    if (!bind.valid) return out;
    const Mat3 axes = bind.rotation.toRotationMatrix();
    const Mat3 turn = axes.transpose() * linear(own) * axes;
    // turn = Rz * Ry * Rx
    out.rotation_deg =
        Vec3(std::atan2(turn(2, 1), turn(2, 2)), std::asin(std::clamp(-turn(2, 0), -1.0, 1.0)),
             std::atan2(turn(1, 0), turn(0, 0))) *
        (180.0 / std::acos(-1.0));
    const Vec3 origin = translation(joint.bind_world);
    out.translation = axes.transpose() * (transform_point(own, origin) - origin);
    return out;
  }

  const Asset& asset_;
  const std::vector<SolveBinding>& bindings_;
  const SolveOptions& options_;
  std::vector<Vertex> vertices_;
  std::vector<Influence> influences_;
  std::vector<Offset> offsets_;
  std::vector<Joint> joints_;
  std::vector<double> activations_, morph_scale_;
  std::vector<std::size_t> first_vertex_, first_morph_;
  std::size_t total_ = 0, morphs_ = 0;
  std::uint64_t left_out_ = 0;
  double size_ = 0.0, largest_ = 0.0;
  Matrix normal_;
  Vector right_;
};

}  // namespace

Result<Solution, std::string> solve_pose(const Asset& asset,
                                         const std::vector<SolveBinding>& bindings,
                                         const std::vector<Vec3>& target,
                                         const SolveOptions& options) {
  Solver solver(asset, bindings, options);
  if (std::string wrong = solver.gather(target); !wrong.empty()) return wrong;
  return solver.solve();
}

}  // namespace skinlint
