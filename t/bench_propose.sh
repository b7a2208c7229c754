#!/bin/bash
# Prints how long propose takes for one request, start-up included: RUNS runs in a row.
# Usage: t/bench_propose.sh [POLICY [CLI]]
# Without a policy, a new default model, whose answers never end: the worst case.
cd "$(dirname "$0")/.." || exit 1
set -e -o pipefail
bin=${BIN:-bin} policy=${1:-} cli=${2:-langgraph} runs=${RUNS:-20}
spec=seeds/$cli/cli.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ -z "$policy" ]; then
  policy=$dir/new
  "$bin/seed2syn" --quiet --spec "$spec" -n 20000 "seeds/$cli/seeds.jsonl" |
    "$bin/newmodel" --quiet --spec "$spec" -o "$policy"
fi
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
for _ in $(seq "$runs"); do
  start=$(date +%s%N)
  "$bin/propose" -m "$policy" --plain start the server on port 8123 and wait until it is up >/dev/null
  echo $((($(date +%s%N) - start) / 1000))
done | sort -n | awk '{ t[NR] = $1 / 1000 }
  END { printf "propose, one request: %.1f ms (median of %d; %.1f to %.1f)\n", t[int((NR + 1) / 2)], NR, t[1], t[NR] }'
