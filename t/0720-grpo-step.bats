#!/usr/bin/env bats
# GRPO updates by hand: rewards of any origin, losses, checks of what comes in.

load rl_helper

setup_file() {
  export DIR="$BATS_FILE_TMPDIR"
  make_start "$DIR"
  "$BIN/rollout" --quiet --plain -m "$DIR/start" -g 6 -n 12 --seed 1 --threads 1 "$DIR/data.jsonl" \
    | score >"$DIR/rewarded.jsonl"
}

# update OUT OPTIONS...: one update from standard input; metrics beside OUT.
update() {
  local out="$BATS_TEST_TMPDIR/$1"
  shift
  "$BIN/grpo-step" --quiet -m "$DIR/start" --threads 1 -o "$out" --metrics "$out.jsonl" "$@"
}

figure() {
  jq "$2" "$BATS_TEST_TMPDIR/$1.jsonl"
}

@test "the closed loop raises the reward" {
  "$BIN/sft-step" --quiet -m "$DIR/init" -o "$DIR/brief" --steps 30 --threads 1 "$DIR/data.jsonl"
  "$BIN/rollout" --quiet --plain --follow "$DIR/run" --steps 40 --batch 16 -g 8 --threads 1 \
    "$DIR/data.jsonl" | score | "$BIN/grpo-step" --quiet -m "$DIR/brief" --publish "$DIR/run" \
    --steps 40 --threads 1 --lr 1e-3 --muon-lr 5e-3 --metrics "$BATS_TEST_TMPDIR/a.jsonl"
  jq -s -e 'map(.reward_mean) | [(.[:8] | add / 8), (.[-8:] | add / 8)] | debug
    | .[1] > .[0] + 0.15' "$BATS_TEST_TMPDIR/a.jsonl"
}

@test "on policy the recomputed ratio is 1, and the metrics are there" {
  update a <"$DIR/rewarded.jsonl"
  jq -e '.ratio_max_gap < 1e-4 and .step == 1 and .samples == 72 and .groups == 12 and .unscored == 0
    and .grad_norm > 0 and .entropy > 0 and .rows < .flat_rows and .lr > 0 and .peak_memory > 0
    and .clip_low == 0 and .clip_high == 0 and .kl == 0 and .tokens > 72
    and (.seconds | has("wait") and has("forward") and has("backward") and has("optimizer")
      and has("publish"))' "$BATS_TEST_TMPDIR/a.jsonl"
  jq -s -e 'map(.reward) as $r | ($r | add / length)' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/mean"
  jq -e --slurpfile mean "$BATS_TEST_TMPDIR/mean" '(.reward_mean - $mean[0] | fabs) < 1e-6' \
    "$BATS_TEST_TMPDIR/a.jsonl"
}

@test "flat, and cut into micro-batches: the same gradient" {
  update a <"$DIR/rewarded.jsonl"
  update b --flat <"$DIR/rewarded.jsonl"
  update c --micro-rows 64 <"$DIR/rewarded.jsonl"
  [ "$(figure c .micro_batches)" -gt 1 ]
  [ "$(figure b .rows)" -eq "$(figure b .flat_rows)" ]
  jq -s -e '(.[0].grad_norm / .[1].grad_norm - 1 | fabs) < 1e-5
    and (.[0].grad_norm / .[2].grad_norm - 1 | fabs) < 1e-5
    and (.[0].loss - .[1].loss | fabs) < 1e-6' "$BATS_TEST_TMPDIR"/{a,b,c}.jsonl
}

@test "every loss, every scale, a reference, inner epochs" {
  for o in "--loss dapo" "--loss grpo" "--loss dr_grpo" "--loss bnpo" "--scale batch" "--scale none" \
    "--beta 0.1 --inner-epochs 3" "--mask-truncated" "--muon-lr 0"; do
    rm -rf "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a.jsonl"
    update a $o <"$DIR/rewarded.jsonl"
    figure a '.grad_norm > 0' | grep -q true
  done
  rm -rf "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a.jsonl"
  update a --beta 0.1 --inner-epochs 3 --lr 1e-3 <"$DIR/rewarded.jsonl"
  figure a '.kl > 0' | grep -q true
}

@test "a reward of null is left out and counted; no reward at all is a bad record" {
  jq -c 'if .sample == 1 then .reward = null else . end' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/null"
  jq -c 'select(.sample != 1)' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/without"
  update a <"$BATS_TEST_TMPDIR/null"
  update b <"$BATS_TEST_TMPDIR/without"
  [ "$(figure a .unscored)" -eq 12 ]
  cmp "$BATS_TEST_TMPDIR/a/model.safetensors" "$BATS_TEST_TMPDIR/b/model.safetensors"
  jq -c 'del(.reward)' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/none"
  run update c <"$BATS_TEST_TMPDIR/none"
  [ "$status" -eq 65 ]
}

@test "a batch whose groups are all dead is a step without an update" {
  jq -c '.reward = 0.5' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/dead"
  update a <"$BATS_TEST_TMPDIR/dead"
  figure a '.dead_share == 1 and .grad_norm == 0' | grep -q true
  cmp "$BATS_TEST_TMPDIR/a/model.safetensors" "$DIR/start/model.safetensors"
  [ "$(jq .step "$BATS_TEST_TMPDIR/a/trainer_state.json")" -eq 1 ]
}

@test "rollouts that were changed since are found out" {
  jq -c 'if .sample == 2 then .logprobs[0] -= 0.01 else . end' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/r"
  run update a <"$BATS_TEST_TMPDIR/r"
  [ "$status" -eq 70 ]
  [[ "$output" == *"sample 2"*"token 0"*"not 1"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/a" ]
  jq -c 'if .sample == 2 then .tokens[0] = 5 else . end' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/r"
  run update a <"$BATS_TEST_TMPDIR/r"
  [ "$status" -eq 65 ]
  [[ "$output" == *"sample 2"*"token 0"*"not possible"* || "$output" == *"token 0"*"not possible"* ]]
  # Rollouts that were free hold no grammar to look into: then the ratio tells.
  jq -c 'del(.policy.constraint) | if .sample == 2 then .tokens[0] = 5 else . end' \
    "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/r"
  run update a <"$BATS_TEST_TMPDIR/r"
  [ "$status" -eq 70 ]
}

@test "rollouts under another grammar, tokenizer or request are refused" {
  for change in '.policy.constraint.spec |= ascii_upcase' '.policy.constraint.tokenizer = "00"' \
    '.policy.constraint.ground = 1' 'del(.request)' 'del(.spans)' '.spans += [{from: 0, to: 99999, text: "x"}]' \
    '.spans |= map(.text += "x")' '.request = "hello"'; do
    jq -c "if .sample == 1 then $change else . end" "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/r"
    cmp -s "$BATS_TEST_TMPDIR/r" "$DIR/rewarded.jsonl" && continue
    run update a <"$BATS_TEST_TMPDIR/r"
    [ "$status" -eq 65 ] || { echo "$change: $status $output"; return 1; }
    [ ! -e "$BATS_TEST_TMPDIR/a" ]
  done
}

@test "the update is blind to what no answer could be" {
  # Under the policy that sampled them each token's ratio is 1 to 1e-4, and log-probabilities
  # are those among the choices: the certain ones are 0.
  jq -s -e 'map(.logprobs[]) | any(. == 0) and all(. <= 0)' "$DIR/rewarded.jsonl"
  update a <"$DIR/rewarded.jsonl"
  figure a '.ratio_max_gap <= 1e-4' | grep -q true
}

@test "rollouts of another policy are refused, with --lag taken" {
  "$BIN/sft-step" --quiet -m "$DIR/start" -o "$BATS_TEST_TMPDIR/other" --steps 1 --threads 1 "$DIR/data.jsonl"
  run "$BIN/grpo-step" --quiet -m "$BATS_TEST_TMPDIR/other" -o "$BATS_TEST_TMPDIR/a" <"$DIR/rewarded.jsonl"
  [ "$status" -eq 65 ]
  [[ "$output" == *"--lag"* ]]
  "$BIN/grpo-step" --quiet -m "$BATS_TEST_TMPDIR/other" -o "$BATS_TEST_TMPDIR/a" --lag 1 \
    --metrics "$BATS_TEST_TMPDIR/a.jsonl" <"$DIR/rewarded.jsonl"
  figure a '.ratio_max_gap > 1e-4' | grep -q true
}

@test "records that cannot be used: greedy, a token too many, lengths that differ" {
  for change in '.policy.temperature = 0' '.tokens[0] = 100000' '.logprobs += [0]' 'del(.policy)' \
    '.prompt_tokens = []' '.reward = "1"' '.logprobs[0] = 3' 'del(.group)' '.times = 0' '.times = "2"' \
    '.times = 1000000'; do
    jq -c "$change" "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/r"
    run update a <"$BATS_TEST_TMPDIR/r"
    echo "$change: $output"
    [ "$status" -eq 65 ]
    [[ "$output" == *"standard input:1:"* ]]
  done
}

@test "a record that stands for several samples is as if they had come" {
  jq -s -c 'group_by(.group)[] | .[0] as $r | .[] | if .sample < 2 then $r + {sample} else . end |
    if .sample == 2 then .reward = $r.reward - 0.75 else . end' "$DIR/rewarded.jsonl" >"$BATS_TEST_TMPDIR/all"
  jq -c 'select(.sample < 3) | if .sample == 0 then .times = 2 elif .sample == 1 then empty else . end' \
    "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/r.some"
  jq -c 'select(.sample < 3)' "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/r.each"
  for name in some each; do
    n=$(wc -l <"$BATS_TEST_TMPDIR/r.$name")
    jq -c --argjson n "$n" '.policy.batch = {index: 0, size: $n}' "$BATS_TEST_TMPDIR/r.$name" | update "$name"
  done
  [ "$(wc -l <"$BATS_TEST_TMPDIR/r.some")" -lt "$(wc -l <"$BATS_TEST_TMPDIR/r.each")" ]
  [ "$(figure each .grad_norm)" != 0 ]
  cmp "$BATS_TEST_TMPDIR/some/model.safetensors" "$BATS_TEST_TMPDIR/each/model.safetensors"
  diff <(figure some 'del(.seconds, .peak_memory)') <(figure each 'del(.seconds, .peak_memory)')
}

@test "a batch that ends early is an error" {
  jq -c '.policy.batch = {index: 0, size: 72}' "$DIR/rewarded.jsonl" | head -n 50 >"$BATS_TEST_TMPDIR/r"
  run update a <"$BATS_TEST_TMPDIR/r"
  [ "$status" -eq 65 ]
  [[ "$output" == *"50 records instead of 72"* ]]
}

@test "a sequence that does not fit --micro-rows" {
  run update a --micro-rows 16 <"$DIR/rewarded.jsonl"
  [ "$status" -eq 65 ]
  [[ "$output" == *"--micro-rows 16"* ]]
}

@test "twenty dead steps in a row are explained" {
  for i in $(seq 0 20); do
    jq -c --argjson i "$i" '.reward = 0.5 | .policy.batch = {index: $i, size: 72}' "$DIR/rewarded.jsonl"
  done >"$BATS_TEST_TMPDIR/dead"
  run "$BIN/grpo-step" -m "$DIR/start" --threads 1 -o "$BATS_TEST_TMPDIR/a" <"$BATS_TEST_TMPDIR/dead"
  [ "$status" -eq 0 ]
  [[ "$output" == *"for 20 steps every sample of each group had the same reward"* ]]
}

@test "metrics go to their file only, and never over something else" {
  echo "a letter" >"$BATS_TEST_TMPDIR/a.jsonl"
  run update a <"$DIR/rewarded.jsonl"
  [ "$status" -eq 64 ]
  [ "$(cat "$BATS_TEST_TMPDIR/a.jsonl")" = "a letter" ]
}

@test "steps share the files that training does not change" {
  cp -r "$DIR/start" "$BATS_TEST_TMPDIR/start"
  mv "$BATS_TEST_TMPDIR/start/tokenizer.json" "$BATS_TEST_TMPDIR/blob" # as caches of models have it
  ln -s ../blob "$BATS_TEST_TMPDIR/start/tokenizer.json"
  for steps in 3 6; do # the second one goes on where the first one ended
    "$BIN/rollout" --quiet --plain --follow "$BATS_TEST_TMPDIR/run" --steps $steps --batch 4 -g 2 --threads 1 \
      "$DIR/data.jsonl" | score | "$BIN/grpo-step" --quiet -m "$BATS_TEST_TMPDIR/start" --threads 1 \
      --publish "$BATS_TEST_TMPDIR/run" --steps $steps
  done
  for f in tokenizer.json lexicon.txt policy.json cli.json; do
    [ -f "$BATS_TEST_TMPDIR/run/step-6/$f" ]
    [ ! -L "$BATS_TEST_TMPDIR/run/step-6/$f" ]
    [ "$BATS_TEST_TMPDIR/run/step-6/$f" -ef "$BATS_TEST_TMPDIR/run/step-4/$f" ]
    cmp "$BATS_TEST_TMPDIR/run/step-6/$f" "$DIR/start/$f"
  done
  [ ! "$BATS_TEST_TMPDIR/run/step-6/model.safetensors" -ef "$BATS_TEST_TMPDIR/run/step-5/model.safetensors" ]
}

@test "where files cannot be shared they are written anew" {
  [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$BATS_TEST_TMPDIR")" ] ||
    skip "/dev/shm is no second file system here"
  cp -r "$DIR/start" "$BATS_TEST_TMPDIR/start"
  tar -C "$BATS_TEST_TMPDIR" --zstd -cf "$BATS_TEST_TMPDIR/start.tar.zst" start
  TMPDIR=/dev/shm "$BIN/grpo-step" --quiet -m "$BATS_TEST_TMPDIR/start.tar.zst" --threads 1 \
    --publish "$BATS_TEST_TMPDIR/run" </dev/null
  for f in tokenizer.json lexicon.txt policy.json cli.json; do
    cmp "$BATS_TEST_TMPDIR/run/step-0/$f" "$DIR/start/$f"
  done
}
