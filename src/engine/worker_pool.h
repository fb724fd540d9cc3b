#pragma once
// Files checked in worker processes, so that a crash, a hang or a memory blow-up costs one file
// its verdict and nothing else. A worker checks file after file; only one that died or was killed
// is replaced.

#include "engine/batch.h"

namespace skinlint {

/// As run_batch(), for `schedule` in `workers` processes. Workers are forks of this process: call
/// it while no other thread runs. A worker that dies gives its file Status::crashed with the signal
/// named; one that is over the time limit is killed: Status::timeout; one over its memory limit
/// gives Status::crashed with the limit named.
std::size_t run_in_processes(const std::vector<BatchJob>& jobs,
                             const std::vector<std::size_t>& schedule, unsigned workers,
                             const BatchOptions& options, const CheckOne& check_one,
                             const OnResult& on_result);

}  // namespace skinlint
