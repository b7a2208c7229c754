#!/bin/bash
# Prints how fast the data path is: seed2syn | synvalidate, and synvalidate with
# all its checks beside `jq -c .` on the same file.  Medians of RUNS runs.
# Usage: t/bench_data.sh [CLI] [N]
cd "$(dirname "$0")/.." || exit 1
set -e -o pipefail
bin=${BIN:-bin} cli=${1:-langgraph} n=${2:-200000} runs=${RUNS:-3}
spec=seeds/$cli/cli.json seeds=seeds/$cli/seeds.jsonl
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Median of the wall seconds of $runs runs of a command.
median() {
  for _ in $(seq "$runs"); do
    start=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - start) / 1000))
  done | sort -n | sed -n "$(((runs + 1) / 2))p"
}
line() { awk -v what="$1" -v us="$2" -v n="$n" 'BEGIN { printf "%-46s %8.2f s %10.0f records/s\n", what, us / 1e6, n * 1e6 / us }'; }

pipe() { "$bin/seed2syn" --quiet --spec "$spec" -n "$n" --seed 1 "$seeds" | "$bin/synvalidate" --quiet --spec "$spec"; }
generate() { "$bin/seed2syn" --quiet --plain --spec "$spec" -n "$n" --seed 1 "$seeds"; }
validate() { "$bin/synvalidate" --quiet --plain --spec "$spec" "$dir/pairs.jsonl"; }
by_jq() { jq -c . "$dir/pairs.jsonl"; }

generate >"$dir/pairs.jsonl"
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $n records, $(wc -c <"$dir/pairs.jsonl") bytes"
line "seed2syn" "$(median generate)"
line "seed2syn | synvalidate (zstd between and after)" "$(median pipe)"
ours=$(median validate)
line "synvalidate, all checks" "$ours"
theirs=$(median by_jq)
line "jq -c ." "$theirs"
awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "synvalidate takes %.2f of jq'"'"'s time\n", a / b }'
