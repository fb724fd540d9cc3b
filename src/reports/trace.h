#pragma once
// One vertex through the chain of docs/model.md, as text to read and multiply along, or as JSON
// (schema skinlint-trace/1, docs/trace.schema.json).

#include <iosfwd>
#include <optional>
#include <string>

#include "skinning/vertex_trace.h"

namespace skinlint {

struct TraceView {
  std::string camera;                         // its name, or the file that describes it
  Mat4 camera_from_world = Mat4::Identity();  // V
  Mat4 clip_from_camera = Mat4::Identity();   // P
};

struct TraceReport {
  std::string path;  // shown as given
  const Asset* asset = nullptr;
  const PosedBinding* posed = nullptr;
  const VertexTrace* vertex = nullptr;
  PoseChoice pose;
  double asked_seconds = 0.0;  // before it was kept within the clip
  std::string chosen_by;       // "index", "worst", "near"
  std::optional<Vec3> near_place;
  std::optional<TraceView> view;
};

/// V, P and v_clip applied: P * V * (v_world, 1).
Vec4 clip_position(const TraceView& view, const Vec3& world);

void write_trace_json(std::ostream& out, const TraceReport& report);
void write_trace_text(std::ostream& out, const TraceReport& report);

}  // namespace skinlint
