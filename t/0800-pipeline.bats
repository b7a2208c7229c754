#!/usr/bin/env bats
# The Make-driven pipelines, end to end, at a size that takes seconds.

setup_file() {
  export RUN="$BATS_FILE_TMPDIR/run"
  export SMALL="RUN=$RUN N=4000 HIDDEN=32 LAYERS=2 HEADS=2 VOCAB=600 START_STEPS=30 STEPS=6 BATCH=8 GROUP=4 TESTS_N=40 THREADS=1"
}

@test "make dataset writes a split dataset, rejects and a coverage report" {
  run make -s dataset $SMALL
  [ "$status" -eq 0 ]
  zstd -q -t "$RUN/data.jsonl.zst"
  zstdcat "$RUN/data.jsonl.zst" | jq -e -s 'map(.split) | unique == ["test","train","valid"]'
  jq -e . "$RUN/coverage.json" >/dev/null
  accepted=$(zstdcat "$RUN/data.jsonl.zst" | wc -l)
  rejected=$(zstdcat "$RUN/rejects.jsonl.zst" | wc -l)
  [ $((accepted + rejected)) -eq 4000 ]
}

@test "make train ends with the table and draws the learning curve" {
  run make -s train $SMALL
  [ "$status" -eq 0 ]
  grep -q '^before RL' <<<"$output"
  grep -q '^after RL' <<<"$output"
  grep -q '^supervised instead' <<<"$output"
  grep -q '<svg' "$RUN/learning.svg"
  [ "$(wc -l <"$RUN/grpo.metrics.jsonl")" -eq 6 ]
}

@test "make train again has nothing to do" {
  run make -q $SMALL "$RUN/table.txt" "$RUN/learning.svg"
  [ "$status" -eq 0 ]
}

@test "make report draws in the terminal" {
  run make -s report $SMALL
  [ "$status" -eq 0 ]
  grep -q 'GRPO step' <<<"$output"
}

@test "make demo answers each request with one record" {
  run bash -c "set -o pipefail; make -s demo $SMALL | cat"
  [ "$status" -eq 0 ]
}
