#!/bin/bash
# Every fuzz target runs for FUZZ_SECONDS (20) seconds without a finding, two at a time.
cd "$(dirname "$0")/.." || exit 1
names=$(cd t/fuzz && ls -- *.c | sed 's/\.c$//; /^replay$/d')
out=$(mktemp)
trap 'rm -f "$out"' EXIT
if ! make --no-print-directory -j2 VARIANT=fuzz CC=clang fuzzers >"$out" 2>&1; then
  echo "Bail out! The fuzz targets cannot be built (clang and libFuzzer are needed: make deps)"
  tail -n 20 "$out" | sed 's/^/# /'
  exit 1
fi
echo "1..$(wc -w <<<"$names")"
# shellcheck disable=SC2086
t/fuzz/run "${FUZZ_SECONDS:-20}" 2 $names >"$out" 2>&1
n=0
for name in $names; do
  n=$((n + 1))
  line=$(grep "^$name: " "$out")
  runs=${line#"$name: "} runs=${runs%% *}
  # One that hardly runs tests nothing.
  if [[ $line == *", nothing found" ]] && [ "$runs" -ge 10 ]; then
    echo "ok $n - $line"
  else
    echo "not ok $n - ${line:-$name: no result}"
    sed -n "/^$name: /,/^[a-z0-9]*: .* executions, nothing/p" "$out" | head -n 80 | sed 's/^/# /'
    echo "# the input is in build/fuzz/found/; once it is understood, move it to testdata/fuzz/$name/"
  fi
done
