#!/bin/bash
# Every test that THREATS.md names is there, and has the case that it names.
cd "$(dirname "$0")/.." || exit 1
n=0
while IFS='|' read -r _ who _ test _; do
  test=${test#*\`} test=${test%\`*}
  file=t/${test%%: *} name=${test#*: }
  n=$((n + 1))
  if [ -f "$file" ] && grep -v '^ *#' "$file" | grep -qF -- "$name"; then
    echo "ok $n -$who"
  else
    echo "not ok $n -$who: no '$name' in $file"
  fi
done < <(grep -E '^\|.*`[0-9]{4}-' THREATS.md)
# Each test of attacks, and of the log, is named.
for file in t/077*-attacks-*.sh t/0780-audit.c; do
  n=$((n + 1))
  if grep -qF "$(basename "$file"): " THREATS.md; then
    echo "ok $n - $file is named"
  else
    echo "not ok $n - $file is not named"
  fi
done
echo "1..$n"
[ "$n" -gt 20 ]
