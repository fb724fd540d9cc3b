#!/usr/bin/env bash
# Checks assets in N parts and joins their reports to the one that a single run would have written.
#   shards.sh N REPORT.json PATH… [OPTIONS of "skinlint check"]
#   SHARD_HOSTS  hosts for GNU parallel, "render1,render2,:"; ":" is this machine (default: this machine).
#                They need skinlint on PATH and this folder at the same place.
#   SKINLINT     the tool (default: skinlint, as found on PATH)
# The exit status is that of the single run.
set -euo pipefail
if (($# < 3)) || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: ${0##*/} N REPORT.json PATH... [OPTIONS]" >&2
  exit 2
fi
count=$1 report=$2
shift 2
tool=${SKINLINT:-skinlint}
# Beside the report, where the hosts see it too.
parts=$(mktemp -d "$(dirname -- "$report")/.skinlint-parts.XXXXXX")
trap 'rm -rf "$parts"' EXIT

part() {
  "$tool" check "${@:2}" --shard "$1/$count" --allow-empty --no-progress --report "json=$parts/$1.json"
}

# Each run keeps every core of its host busy, so a host has one at a time and takes the next part when it
# is done. Findings make a part's status 1, so the status says nothing about whether it ran: its report does.
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
  hosts=()
  [[ -z ${SHARD_HOSTS-} ]] || hosts=(--sshlogin "$SHARD_HOSTS")
  seq "$count" |
    parallel --will-cite --quote --jobs 1 --workdir "$PWD" "${hosts[@]}" -I @PART@ \
      "$tool" check "$@" --shard "@PART@/$count" --allow-empty --no-progress \
      --report "json=$parts/@PART@.json" || true
elif [[ -n ${SHARD_HOSTS-} ]]; then
  echo "${0##*/}: SHARD_HOSTS needs GNU parallel" >&2
  exit 2
else
  for ((i = 1; i <= count; ++i)); do part "$i" "$@" || true; done
fi

reports=()
for ((i = 1; i <= count; ++i)); do
  if [[ ! -e $parts/$i.json ]]; then
    echo "${0##*/}: part $i of $count gave no report" >&2
    exit 4
  fi
  reports+=("$parts/$i.json")
done
"$tool" merge "${reports[@]}" --output "$report" && status=0 || status=$?
exit "$status"
