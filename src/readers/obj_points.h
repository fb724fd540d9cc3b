#pragma once
// The vertices of a Wavefront OBJ: what `pose --solve` is asked to reproduce.

#include <string>
#include <vector>

#include "model/math.h"
#include "model/result.h"
#include "readers/reader.h"

namespace skinlint {

/// Every `v` line in order, x y z as written; what follows on the line (w, colours) is passed over,
/// as are all other lines. "nan" and "inf" are numbers here: the caller refuses them by vertex.
/// Errors: those of map_file(); malformed, with the line, for a `v` line without three numbers or
/// a file without any.
Result<std::vector<Vec3>> read_obj_points(const std::string& path, const Limits& limits = {});

}  // namespace skinlint
