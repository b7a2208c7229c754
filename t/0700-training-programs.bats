#!/usr/bin/env bats
# What newmodel, sft-step, rollout and grpo-step promise to everybody.

load rl_helper

setup_file() {
  export DIR="$BATS_FILE_TMPDIR"
  make_start "$DIR"
  "$BIN/rollout" --quiet --plain -m "$DIR/start" -g 4 -n 8 --seed 1 --threads 1 "$DIR/data.jsonl" \
    | score >"$DIR/rewarded.jsonl"
}

# Runs a program on the records of standard input or the operands given.
program() {
  local name="$1"
  shift
  rm -rf "$BATS_TEST_TMPDIR/out"
  case "$name" in
    newmodel) "$BIN/newmodel" --quiet --spec $SPEC --vocab 640 -o "$BATS_TEST_TMPDIR/out" "$@" ;;
    sft-step) "$BIN/sft-step" --quiet -m "$DIR/init" --steps 2 --threads 1 -o "$BATS_TEST_TMPDIR/out" "$@" ;;
    rollout) "$BIN/rollout" --quiet -m "$DIR/start" -g 2 --threads 1 "$@" ;;
    grpo-step) "$BIN/grpo-step" --quiet -m "$DIR/start" --threads 1 -o "$BATS_TEST_TMPDIR/out" "$@" ;;
  esac
}

input_of() {
  if [ "$1" = grpo-step ]; then echo "$DIR/rewarded.jsonl"; else echo "$DIR/data.jsonl"; fi
}

ALL="newmodel sft-step rollout grpo-step"

@test "--help, --version, a bad option, no model" {
  for p in $ALL; do
    run "$BIN/$p" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"Usage: "*"--quiet"* ]]
    run "$BIN/$p" --version
    [ "$status" -eq 0 ]
    [[ "$output" == "$p "* ]]
    run "$BIN/$p" --no-such-option
    [ "$status" -eq 64 ]
    run "$BIN/$p" </dev/null
    [ "$status" -eq 64 ]
    run program "$p" --threads x </dev/null
    [ "$status" -eq 64 ]
  done
}

@test "a bad line stops with file and line, and leaves nothing behind" {
  for p in $ALL; do
    (head -n 2 "$(input_of $p)"; echo '{"request": 1') >"$BATS_TEST_TMPDIR/bad.jsonl"
    run program "$p" "$BATS_TEST_TMPDIR/bad.jsonl"
    echo "$p: $output"
    [ "$status" -eq 65 ]
    [[ "$output" == *"bad.jsonl:3:"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/out" ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -name 'out*')" ]
  done
}

@test "--skip-bad diverts the bad line and goes on" {
  for p in $ALL; do
    (head -n 2 "$(input_of $p)"; echo '{"request": 1'; tail -n 8 "$(input_of $p)") \
      >"$BATS_TEST_TMPDIR/bad.jsonl"
    run program "$p" --skip-bad "$BATS_TEST_TMPDIR/skipped" "$BATS_TEST_TMPDIR/bad.jsonl"
    [ "$status" -eq 0 ]
    zstdcat -f "$BATS_TEST_TMPDIR/skipped" | grep -q '^{"request": 1$'
  done
}

@test "a truncated zstd stream is an error" {
  for p in $ALL; do
    zstd -q -c "$(input_of $p)" | head -c 300 >"$BATS_TEST_TMPDIR/cut.zst"
    run program "$p" "$BATS_TEST_TMPDIR/cut.zst"
    [ "$status" -eq 65 ]
    [ ! -e "$BATS_TEST_TMPDIR/out" ]
  done
}

@test "a missing input and a missing model exit 66" {
  for p in $ALL; do
    run program "$p" "$DIR/no-such-file"
    [ "$status" -eq 66 ]
  done
  for p in sft-step rollout grpo-step; do
    run "$BIN/$p" -m "$DIR/no-such-dir" $([ $p = rollout ] || echo "-o $BATS_TEST_TMPDIR/o") \
      $([ $p = sft-step ] && echo --steps 1) "$DIR/data.jsonl"
    [ "$status" -eq 66 ]
  done
}

@test "an output that exists is not touched" {
  mkdir "$BATS_TEST_TMPDIR/there"
  for p in newmodel sft-step grpo-step; do
    run program "$p" -o "$BATS_TEST_TMPDIR/there" "$(input_of $p)"
    [ "$status" -eq 64 ]
    [ -z "$(ls "$BATS_TEST_TMPDIR/there")" ]
  done
}

@test "full disk" {
  run program rollout -o /dev/full "$DIR/data.jsonl"
  [ "$status" -eq 74 ]
  run bash -c "'$BIN/rollout' --quiet -m '$DIR/start' -n 4 '$DIR/data.jsonl' >/dev/full"
  [ "$status" -eq 74 ]
  for p in sft-step grpo-step; do
    run program "$p" --metrics /dev/full "$(input_of $p)"
    [ "$status" -eq 74 ]
    [ ! -e "$BATS_TEST_TMPDIR/out" ]
  done
}

@test "a closed pipe ends rollout quietly" {
  run bash -c "'$BIN/rollout' --quiet --plain -m '$DIR/start' --batch 4 --threads 1 '$DIR/data.jsonl' \
    2>'$BATS_TEST_TMPDIR/err' | head -n 1 >/dev/null; echo \${PIPESTATUS[0]}"
  [ "$output" = 0 ]
  [ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "the same seed gives the same bytes, another seed others" {
  for seed in 1 1 2; do
    "$BIN/newmodel" --quiet --spec $SPEC --vocab 640 --seed $seed -o "$BATS_TEST_TMPDIR/m" "$DIR/data.jsonl"
    "$BIN/sft-step" --quiet -m "$BATS_TEST_TMPDIR/m" -o "$BATS_TEST_TMPDIR/s" --steps 3 --threads 1 \
      --seed $seed "$DIR/data.jsonl"
    (cd "$BATS_TEST_TMPDIR" && cat m/* s/* | sha256sum) >>"$BATS_TEST_TMPDIR/sums"
    rm -r "$BATS_TEST_TMPDIR/m" "$BATS_TEST_TMPDIR/s"
  done
  [ "$(uniq "$BATS_TEST_TMPDIR/sums" | wc -l)" -eq 2 ]
  [ "$(sort -u "$BATS_TEST_TMPDIR/sums" | wc -l)" -eq 2 ]
}

@test "a new model says which token ends an answer" {
  jq -e --slurpfile t "$DIR/init/tokenizer.json" \
    '.eos_token_id == ($t[0].added_tokens[] | select(.content == "<|end|>").id)' "$DIR/init/config.json"
  cmp "$DIR/init/config.json" "$DIR/start/config.json"
}

@test "training takes no record of the test split" {
  jq -c 'if .split == "test" then .request = "zzzz qqqq xxxx" else . end' "$DIR/data.jsonl" \
    >"$BATS_TEST_TMPDIR/other.jsonl"
  "$BIN/newmodel" --quiet --spec $SPEC --hidden 32 --layers 2 --heads 2 --vocab 640 --seed 1 \
    -o "$BATS_TEST_TMPDIR/init" "$BATS_TEST_TMPDIR/other.jsonl"
  diff -r "$DIR/init" "$BATS_TEST_TMPDIR/init"
}

@test "two calls of sft-step continue: optimizer, step and order of the data" {
  "$BIN/sft-step" --quiet -m "$DIR/init" -o "$BATS_TEST_TMPDIR/a" --steps 6 --schedule constant \
    --warmup 0 --threads 1 "$DIR/data.jsonl"
  "$BIN/sft-step" --quiet -m "$DIR/init" -o "$BATS_TEST_TMPDIR/b" --steps 2 --schedule constant \
    --warmup 0 --threads 1 "$DIR/data.jsonl"
  "$BIN/sft-step" --quiet -m "$BATS_TEST_TMPDIR/b" -o "$BATS_TEST_TMPDIR/c" --steps 4 \
    --schedule constant --warmup 0 --threads 1 "$DIR/data.jsonl"
  diff -r "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/c"
  "$BIN/sft-step" --quiet --fresh -m "$BATS_TEST_TMPDIR/b" -o "$BATS_TEST_TMPDIR/d" --steps 1 \
    --threads 1 "$DIR/data.jsonl"
  [ "$(jq .step "$BATS_TEST_TMPDIR/d/trainer_state.json")" -eq 1 ]
}

@test "supervised training learns: the loss of answers falls below a tenth" {
  "$BIN/sft-step" --quiet -m "$DIR/init" -o "$BATS_TEST_TMPDIR/a" --steps 200 --threads 1 \
    --metrics "$BATS_TEST_TMPDIR/m.jsonl" "$DIR/data.jsonl"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/m.jsonl")" -eq 200 ]
  jq -s -e '.[-1].answer_loss < 0.1 * .[0].answer_loss' "$BATS_TEST_TMPDIR/m.jsonl"
}

@test "flat and prefix-packed training agree" {
  for flat in "" --flat; do
    "$BIN/sft-step" --quiet $flat -m "$DIR/init" -o "$BATS_TEST_TMPDIR/a$flat" --steps 5 --threads 1 \
      --metrics "$BATS_TEST_TMPDIR/m$flat.jsonl" "$DIR/data.jsonl"
  done
  jq -n -e --slurpfile a "$BATS_TEST_TMPDIR/m.jsonl" --slurpfile b "$BATS_TEST_TMPDIR/m--flat.jsonl" \
    '[$a, $b] | transpose | all((.[0].loss - .[1].loss | fabs) < 1e-4 and .[0].rows < .[1].rows)'
}

@test "a policy packed as .tar.zst is read like its directory" {
  tar -C "$DIR" --zstd -cf "$BATS_TEST_TMPDIR/start.tar.zst" start
  "$BIN/rollout" --quiet --plain -m "$DIR/start" -n 3 --threads 1 "$DIR/data.jsonl" \
    >"$BATS_TEST_TMPDIR/a"
  "$BIN/rollout" --quiet --plain -m "$BATS_TEST_TMPDIR/start.tar.zst" -n 3 --threads 1 \
    "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/b"
  cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}

@test "--plan prints memory and does nothing" {
  for p in sft-step grpo-step; do
    run "$BIN/$p" --plan --quiet -m "$DIR/start" </dev/null
    [ "$status" -eq 0 ]
    [[ "$output" == *"parameters, "*" bytes"* ]]
  done
  run "$BIN/rollout" --plan --quiet -m "$DIR/start" </dev/null
  [ "$status" -eq 0 ]
  [[ "$output" == *"parameters, "*" bytes"* ]]
}
