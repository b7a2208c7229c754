#!/usr/bin/env bats
# Rollouts: what a record holds, and that draws do not depend on what is sampled
# together, on the loop, or on sharing prefixes.

load rl_helper

setup_file() {
  export DIR="$BATS_FILE_TMPDIR"
  make_start "$DIR"
}

rollout() {
  "$BIN/rollout" --quiet --plain --threads 1 "$@"
}

@test "a record holds what the trainer, the reward and a person need" {
  rollout -m "$DIR/start" -g 3 -n 5 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/r"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/r")" -eq 15 ]
  hash=$(sha256sum <"$DIR/start/model.safetensors" | cut -d' ' -f1)
  jq -s -e --arg hash "$hash" 'to_entries | all(.key as $i | .value |
    .group == .id and .sample == $i % 3 and .policy.hash == $hash and .policy.step == 100
    and .policy.temperature == 1 and (.prompt_tokens | length) > 2
    and (.tokens | length) == (.logprobs | length) and all(.logprobs[]; . <= 0)
    and (.text | type) == "string" and (.finish | IN("stop", "length"))
    and all(.spans[]; .to > .from and (.text | length) > 0))' "$BATS_TEST_TMPDIR/r"
  # Input fields come first, unchanged and in order.
  diff <(head -n 5 "$DIR/data.jsonl" | jq -c 'del(.zzz)' | sed 's/}$//' | sed 'p;p') \
    <(sed 's/,"group":.*//' "$BATS_TEST_TMPDIR/r")
}

@test "spans lie in the request, and a read answer has them put in" {
  rollout -m "$DIR/start" -g 1 --greedy --split test "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/r"
  jq -e '.request as $q | all(.spans[]; $q[.from:.to] == .text)' "$BATS_TEST_TMPDIR/r" >/dev/null
  jq -s -e 'map(select(has("answer") and .answer == .argv)) | length > 20' "$BATS_TEST_TMPDIR/r"
}

@test "an answer that cannot be read is absent" {
  rollout --free -m "$DIR/init" -g 2 -n 4 --max-tokens 6 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/r"
  jq -s -e 'all(has("answer") | not) and any(.finish == "length")' "$BATS_TEST_TMPDIR/r"
}

@test "shards put together equal the whole, whatever the batch" {
  head -n 40 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/d"
  rollout -m "$DIR/start" -g 4 --seed 7 "$BATS_TEST_TMPDIR/d" >"$BATS_TEST_TMPDIR/whole"
  head -n 13 "$BATS_TEST_TMPDIR/d" | rollout -m "$DIR/start" -g 4 --seed 7 >"$BATS_TEST_TMPDIR/shards"
  tail -n 27 "$BATS_TEST_TMPDIR/d" | rollout -m "$DIR/start" -g 4 --seed 7 --batch 5 \
    >>"$BATS_TEST_TMPDIR/shards"
  # The tokens are the same; log-probabilities may differ by rounding.
  diff <(jq -c 'del(.logprobs)' "$BATS_TEST_TMPDIR/whole") \
    <(jq -c 'del(.logprobs)' "$BATS_TEST_TMPDIR/shards")
  jq -n -e --slurpfile a "$BATS_TEST_TMPDIR/whole" --slurpfile b "$BATS_TEST_TMPDIR/shards" \
    '[$a, $b] | transpose
     | all([.[0].logprobs, .[1].logprobs] | transpose | all((.[0] - .[1] | fabs) < 1e-4))'
}

@test "another seed, another step: other draws; the same: the same bytes" {
  for o in "--seed 1" "--seed 1" "--seed 2" "--seed 1 --step 9"; do
    rollout -m "$DIR/start" -g 8 -n 10 --temperature 1.5 $o "$DIR/data.jsonl" | jq -c .tokens | sha256sum
  done >"$BATS_TEST_TMPDIR/sums"
  [ "$(sort -u "$BATS_TEST_TMPDIR/sums" | wc -l)" -eq 3 ]
  [ "$(uniq "$BATS_TEST_TMPDIR/sums" | wc -l)" -eq 3 ]
}

@test "--flat draws the same" {
  rollout -m "$DIR/start" -g 6 -n 10 --temperature 1.3 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/tree"
  rollout -m "$DIR/start" -g 6 -n 10 --temperature 1.3 --flat "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/flat"
  diff <(jq -c 'del(.logprobs)' "$BATS_TEST_TMPDIR/tree") <(jq -c 'del(.logprobs)' "$BATS_TEST_TMPDIR/flat")
}

@test "fields of an earlier rollout or reward do not survive" {
  rollout -m "$DIR/start" -g 1 -n 3 "$DIR/data.jsonl" |
    jq -c '.reward = 1 | .verdict = {} | .answer = ["old"]' >"$BATS_TEST_TMPDIR/old"
  rollout -m "$DIR/init" -g 1 --max-tokens 4 "$BATS_TEST_TMPDIR/old" >"$BATS_TEST_TMPDIR/new"
  jq -s -e 'length == 3 and all((has("reward") or has("verdict") or .answer == ["old"]) | not)' \
    "$BATS_TEST_TMPDIR/new"
}

@test "-n, --split and several inputs choose the records, in order" {
  run rollout -m "$DIR/start" -g 1 --split test -n 7 "$DIR/data.jsonl" "$DIR/data.jsonl"
  [ "$status" -eq 0 ]
  [ "$(jq -r .id <<<"$output" | paste -sd' ')" = "r540 r541 r542 r543 r544 r545 r546" ]
  run rollout -m "$DIR/start" -g 1 --split test "$DIR/data.jsonl" "$DIR/data.jsonl"
  [ "$(wc -l <<<"$output")" -eq 120 ]
}

@test "a request that is too long for the model is left out, and said" {
  (jq -n -c '{id: "long", request: ([range(3000) | "word\(.)"] | join(" ")), argv: null}'
    head -n 1 "$DIR/data.jsonl") >"$BATS_TEST_TMPDIR/d"
  rollout -m "$DIR/start" -g 1 "$BATS_TEST_TMPDIR/d" >"$BATS_TEST_TMPDIR/r" 2>"$BATS_TEST_TMPDIR/err"
  [ "$(jq -r .id "$BATS_TEST_TMPDIR/r")" = r0 ]
  grep -q '1 requests were too long' "$BATS_TEST_TMPDIR/err"
}

@test "a batch of the loop equals one pass over its records" {
  "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/run" --threads 1 </dev/null
  rollout --follow "$DIR/run" --steps 1 --batch 6 -g 4 --seed 3 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/loop"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/loop")" -eq 24 ]
  jq -s -e 'all(.policy.batch == {index: 0, size: 24})' "$BATS_TEST_TMPDIR/loop"
  jq -c 'select(.sample == 0)' "$BATS_TEST_TMPDIR/loop" >"$BATS_TEST_TMPDIR/asked"
  rollout -m "$DIR/run" --step 0 -g 4 --seed 3 "$BATS_TEST_TMPDIR/asked" >"$BATS_TEST_TMPDIR/once"
  diff <(jq -c "del(.policy.batch)" "$BATS_TEST_TMPDIR/loop") <(jq -c . "$BATS_TEST_TMPDIR/once")
}

@test "epochs are permutations: no request twice before all came once" {
  "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/run2" --threads 1 </dev/null
  rollout --follow "$DIR/run2" --steps 1 --batch 540 -g 1 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/r"
  [ "$(jq -r .id "$BATS_TEST_TMPDIR/r" | sort -u | wc -l)" -eq 540 ]
  jq -s -e 'all(.split == "train")' "$BATS_TEST_TMPDIR/r"
}

@test "--live samples on, boundedly, and says so" {
  "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/run3" --threads 1 </dev/null
  "$BIN/rollout" --plain --threads 1 --follow "$DIR/run3" --steps 1 --batch 4 -g 2 --live 1000 \
    "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/r" 2>"$BATS_TEST_TMPDIR/err"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/r")" -eq 32 ]
  jq -s -e 'all(.policy.batch.size == 32)' "$BATS_TEST_TMPDIR/r"
  grep -q 'groups are alive, not 1000' "$BATS_TEST_TMPDIR/err"
}

@test "--merge-same writes a group that all says the same once, and what it stands for" {
  for n in 1 2; do
    "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/merge$n" --threads 1 </dev/null
  done
  rollout --follow "$DIR/merge1" --steps 1 --batch 40 -g 3 "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/all"
  rollout --follow "$DIR/merge2" --steps 1 --batch 40 -g 3 --merge-same "$DIR/data.jsonl" >"$BATS_TEST_TMPDIR/merged"
  merged=$(jq -s 'map(select(.times == 3)) | length' "$BATS_TEST_TMPDIR/merged")
  [ "$merged" -gt 0 ] && [ "$merged" -lt 40 ]
  jq -s -e --argjson n $((120 - 2 * merged)) 'length == $n and all(.policy.batch.size == $n)' "$BATS_TEST_TMPDIR/merged"
  diff <(jq -c 'del(.policy.batch)' "$BATS_TEST_TMPDIR/all") \
    <(jq -c '. as $r | del(.policy.batch, .times) | if $r.times then range(3) as $k | .sample = $k else . end' \
      "$BATS_TEST_TMPDIR/merged")
}

@test "options that contradict each other" {
  run rollout -m "$DIR/start" --follow "$DIR/run" "$DIR/data.jsonl"
  [ "$status" -eq 64 ]
  run rollout --follow "$DIR/run" --greedy "$DIR/data.jsonl"
  [ "$status" -eq 64 ]
  run rollout -m "$DIR/start" --lag 1 "$DIR/data.jsonl"
  [ "$status" -eq 64 ]
}
