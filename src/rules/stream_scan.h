#pragma once
// Walks bulk data for numbers that are none.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "model/math.h"
#include "model/stream.h"

namespace skinlint::rules {

/// True when the length of a quaternion (x y z w) differs from 1 by more than `limit`, or is NaN.
bool is_off_unit(const Vec4& quaternion, double limit);

/// Calls `bad(element)` for every three-component element that is not finite. Unreadable and
/// integer streams hold none.
void scan_vectors(const Stream& stream, const std::function<void(std::size_t)>& bad);

/// Calls `bad(element, v)` for every element of three or four components whose first three are not
/// of unit length within `limit` (below 1) or are not finite and, where there is a fourth, whose
/// fourth is neither 1 nor -1. `v` holds the components, 1 for a missing fourth. Unreadable streams
/// and other widths hold none.
void scan_directions(const Stream& stream, double limit,
                     const std::function<void(std::size_t, const Vec4&)>& bad);

enum class KeyKind : std::uint8_t { plain, rotation, cubic_rotation };

/// Calls `bad(element, NaN)` for every element that is not finite and, for rotations,
/// `bad(element, length)` for every value that is not of unit length within `limit`. The tangents
/// of cubic keys have no length to judge.
void scan_keys(const Stream& stream, KeyKind kind, double limit,
               const std::function<void(std::size_t, double)>& bad);

}  // namespace skinlint::rules
