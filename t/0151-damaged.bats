#!/usr/bin/env bats
# The stored streams of testdata/stream.

setup() {
  copy=${HELPERS:-build/release/t}/helper-copy
  data=testdata/stream
  d=$BATS_TEST_TMPDIR
}

@test "whole streams give the records of good.jsonl" {
  grep . "$data/good.jsonl" >"$d/expected"
  for file in good.jsonl good.jsonl.zst glued.jsonl.zst; do
    "$copy" --plain "$data/$file" | cmp - "$d/expected"
  done
}

@test "damaged streams are exit 65, named with their file, and publish nothing" {
  for file in truncated corrupt trailing; do
    run "$copy" -o "$d/out" "$data/$file.jsonl.zst"
    [ "$status" -eq 65 ]
    [[ $output == "helper-copy: $data/$file.jsonl.zst: "*" (byte "*" of the input, after line "*")" ]]
    [ ! -e "$d/out" ]
  done
}

@test "every hostile line is refused, one by one and all together" {
  lines=$(wc -l <"$data/hostile.jsonl")
  "$copy" --plain --skip-bad "$d/bad" "$data/hostile.jsonl" >"$d/out" 2>"$d/err"
  [ ! -s "$d/out" ]
  cmp "$d/bad" "$data/hostile.jsonl"
  grep -q ": $lines malformed lines" "$d/err"
  for n in $(seq "$lines"); do
    sed -n "${n}p" "$data/hostile.jsonl" >"$d/one"
    rc=0
    "$copy" --plain "$d/one" >"$d/out" 2>"$d/err" || rc=$?
    [ "$rc" -eq 65 ]
    [ ! -s "$d/out" ]
    [ "$(wc -l <"$d/err")" -eq 1 ]
    grep -q "^helper-copy: $d/one:1: " "$d/err"
  done
}

@test "jq agrees that the good ones are good" {
  "$copy" "$data/good.jsonl" | zstdcat | jq -c 'del(.n, .x)' >"$d/ours"
  jq -c 'del(.n, .x)' "$data/good.jsonl" | cmp - "$d/ours"
}
