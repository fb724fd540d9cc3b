#!/usr/bin/env bash
# Time and memory of skinlint on a folder of GLB files, beside a reference program when one is given.
#   tests/bench/run.sh FOLDER [REFERENCE [ARGUMENT…]]
# Each program gets every *.glb of the folder as arguments, one process for all; the reference may be
# a bare loop over the same bytes, or another validator. Prints CPU seconds (user + system, best of
# RUNS, default 5), peak memory against the largest file, start-up, and the ratio to the reference.
# SKINLINT may name the executable; otherwise ./run builds it.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(dirname -- "$(dirname -- "$here")")
folder=${1:?usage: tests/bench/run.sh FOLDER [REFERENCE [ARGUMENT…]]}
shift
if [[ -z ${SKINLINT-} ]]; then
  "$root/run" --version >/dev/null
  SKINLINT=$root/build/release/src/skinlint
fi
exec python3 "$here/measure.py" "${RUNS:-5}" "$SKINLINT" "$folder" "$@"
