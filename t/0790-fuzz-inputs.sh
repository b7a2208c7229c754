#!/bin/bash
# Every fuzz target takes the inputs in testdata/fuzz/ without a finding: what fuzzers
# found once stays found.
cd "$(dirname "$0")/.." || exit 1
names=$(cd t/fuzz && ls -- *.c | sed 's/\.c$//; /^replay$/d')
echo "1..$(wc -w <<<"$names")"
n=0
for name in $names; do
  n=$((n + 1))
  inputs=("testdata/fuzz/$name"/*)
  [ -e "${inputs[0]}" ] || inputs=()
  if out=$("build/san/t/fuzz/$name" "${inputs[@]}" 2>&1); then
    echo "ok $n - $name: ${#inputs[@]} inputs"
  else
    echo "not ok $n - $name: ${#inputs[@]} inputs"
    head -n 40 <<<"$out" | sed 's/^/# /'
  fi
done
