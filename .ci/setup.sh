# Shared by ./run and .ci/run (sourced, never run): packages, build jobs, one build of a preset.
# Expects: $root, the repository's folder.

# What a build needs, and what the tests need beyond that.
build_packages=(g++ cmake ninja-build pkg-config libeigen3-dev nlohmann-json3-dev libfmt-dev
  libcli11-dev libsimdjson-dev nettle-dev libdraco-dev libmeshoptimizer-dev libassimp-dev zlib1g-dev
  libdeflate-dev)
test_packages=(catch2 libxml2-utils)

say() { printf 'skinlint: %s\n' "$*" >&2; }

# Set-up that fails must not look like findings (1) or unreadable files (3).
fail_setup() {
  say "$@"
  exit 4
}

# Free memory in MiB: the machine's, or the container's when that is less.
free_memory_mib() {
  local free limit used
  free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  if read -r limit 2>/dev/null </sys/fs/cgroup/memory.max && [[ $limit != max ]] &&
    read -r used 2>/dev/null </sys/fs/cgroup/memory.current; then
    limit=$(((limit - used) / 1048576))
    ((limit >= free)) || free=$limit
  fi
  echo "$free"
}

# One job per processor, but no more than one for each 1.5 GB of free memory: the files that use
# matrices need most of a gigabyte each.
build_jobs() {
  local jobs by_memory
  jobs=$(nproc)
  by_memory=$(($(free_memory_mib) / 1536))
  ((by_memory >= jobs)) || jobs=$by_memory
  ((jobs >= 1)) || jobs=1
  echo "$jobs"
}

# Installs what is missing of the packages named; touches neither network nor root otherwise.
install_packages() {
  local missing=() package as_root=() log=$root/build/packages.log
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here: taking for granted what these Debian packages hold: $*"
    return
  fi
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  say "installing ${#missing[@]} missing packages with apt-get: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail_setup "that needs root and there is no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o
    DPkg::Lock::Timeout=300 install --no-install-recommends "${missing[@]}")
  # The package lists may be absent or stale: refresh them only when the first try fails.
  if ! "${install[@]}" >"$log" 2>&1 </dev/null; then
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update >>"$log" 2>&1 </dev/null || true
    if ! "${install[@]}" >>"$log" 2>&1 </dev/null; then
      tail -n 30 "$log" >&2
      fail_setup "installing failed; the whole log is in $log"
    fi
  fi
}

# On a terminal, ninja's progress on one line; nothing otherwise (the log has it all).
show_progress() {
  if [[ ! -t 2 ]]; then
    cat >/dev/null
    return
  fi
  local line
  while IFS= read -r line; do
    [[ $line == \[* ]] && printf '\r\033[K%.100s' "$line" >&2
  done
  printf '\r\033[K' >&2
}

# build_preset PRESET [TARGET]: configures and builds it under build/PRESET; prints the log's end and
# leaves with 4 when that fails. One build at a time for each preset.
build_preset() {
  local preset=$1 target=${2:-all} dir=$root/build/$1 log=$root/build/$1.log fresh=()
  mkdir -p "$root/build"
  exec 8>"$dir.lock"
  flock 8
  # A folder that was moved or copied keeps the paths of its old place.
  if [[ -f $dir/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  say "building $preset with $(build_jobs) jobs; log in $log"
  # The tests share a precompiled header, which ccache keeps only when told that this is wanted.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  if ! (
    cd "$root"
    cmake --preset "$preset" "${fresh[@]}" \
      -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" &&
      cmake --build --preset "$preset" --target "$target" --parallel "$(build_jobs)"
  ) </dev/null 2>&1 8>&- | tee "$log" | show_progress; then
    tail -n 40 "$log" >&2
    fail_setup "building $preset failed; the whole log is in $log"
  fi
  exec 8>&-
}
