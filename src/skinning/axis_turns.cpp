#include "skinning/axis_turns.h"

#include <algorithm>
#include <array>

namespace skinlint {

const std::vector<AxisTurn>& axis_turns() {
  static const std::vector<AxisTurn> all = [] {
    std::vector<AxisTurn> turns;
    std::array<int, 3> order = {0, 1, 2};
    do {
      for (unsigned signs = 0; signs < 8; ++signs) {
        AxisTurn turn;
        turn.linear.setZero();
        for (unsigned axis = 0; axis < 3; ++axis) {
          turn.linear(order[axis], axis) = (signs & (1U << axis)) != 0 ? -1.0 : 1.0;
        }
        turn.is_identity = turn.linear.isIdentity(0.0);
        turn.mirrored = turn.linear.determinant() < 0;
        if (!turn.is_identity) turns.push_back(turn);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    std::stable_sort(turns.begin(), turns.end(), [](const AxisTurn& a, const AxisTurn& b) {
      if (a.mirrored != b.mirrored) return b.mirrored;
      return a.linear.trace() > b.linear.trace();
    });
    return turns;
  }();
  return all;
}

}  // namespace skinlint
