#!/usr/bin/env bats
# A training loop killed at any moment and started again ends with the same bytes.

load rl_helper

setup_file() {
  export DIR="$BATS_FILE_TMPDIR"
  make_start "$DIR"
}

# Starts the loop in a process group of its own, kills that after $3 seconds and waits
# until all of it is gone: as long as one lives, the lock it has inherited is held.
loop_killed() {
  setsid flock "$DIR/lock" bash -c "source t/rl_helper.bash; loop '$1' $2" 3>&- &
  local leader=$!
  while kill -0 "$leader" 2>/dev/null && ! kill -0 -- "-$leader" 2>/dev/null; do sleep 0.01; done
  sleep "$3"
  kill -9 -- "-$leader" 2>/dev/null || return 1
  wait "$leader" 2>/dev/null || true
  flock -w 60 "$DIR/lock" true
}

# cut_ten STEPS MILLISECONDS: kills the same loop ten times, each after 1 % to 9 % of
# that time; fails when the loop was faster and came to its end.
cut_ten() {
  local kills
  rm -rf "$DIR"/cut "$DIR"/cut.*
  for kills in {1..10}; do
    loop_killed "$DIR/cut" "$1" "$(jq -n "$2 * $((RANDOM % 81 + 10)) / 1000000")" || return 1
  done
  [ ! -d "$DIR/cut/step-$1" ]
}

@test "ten kill -9 at random moments leave no trace in the result" {
  local steps=120 started=$(date +%s%3N) whole
  RANDOM=20
  loop "$DIR/whole" $steps
  whole=$(($(date +%s%3N) - started))
  [ "$(cat "$DIR/whole.status")" = "0 0 0" ]
  # The machine may have less to do now than while the whole was timed.
  until cut_ten $steps $whole; do
    whole=$((whole / 2))
    [ $whole -gt 0 ]
  done
  echo "killed ten times in $whole ms, the last time at $(ls "$DIR/cut" || true)"
  loop "$DIR/cut" $steps
  [ "$(cat "$DIR/cut.status")" = "0 0 0" ]
  diff -r "$DIR/whole" "$DIR/cut"
  [ -f "$DIR/cut/step-$steps/model.safetensors" ]
  diff <(figures "$DIR/whole.metrics.jsonl") <(figures "$DIR/cut.metrics.jsonl")
  [ "$(wc -l <"$DIR/cut.metrics.jsonl")" -eq $steps ]
}

@test "a loop that is stopped and one that goes on give the same with lag 1" {
  loop "$DIR/whole1" 12 1
  loop_killed "$DIR/cut1" "12 1" 0.2 || true
  loop_killed "$DIR/cut1" "12 1" 0.15 || true
  loop "$DIR/cut1" 12 1
  diff -r "$DIR/whole1" "$DIR/cut1"
}

@test "a trainer that dies ends the loop instead of leaving rollout waiting" {
  setsid bash -c "'$BIN/rollout' --quiet --plain --follow '$DIR/dead' --batch 4 -g 2 \
    --patience 1 '$DIR/data.jsonl' >'$DIR/dead.out' 2>'$DIR/dead.err'; echo \$? >'$DIR/dead.rc'" 3>&- &
  wait $!
  [ "$(cat "$DIR/dead.rc")" -eq 69 ]
  grep -q 'no trainer' "$DIR/dead.err"
}

@test "a trainer killed in the middle ends rollout too" {
  mkfifo "$DIR/batches" "$DIR/scored"
  "$BIN/rollout" --quiet --plain --follow "$DIR/half" --batch 8 -g 4 --threads 1 "$DIR/data.jsonl" \
    >"$DIR/batches" 2>"$DIR/half.err" 3>&- &
  local rollout=$!
  score <"$DIR/batches" >"$DIR/scored" 2>/dev/null 3>&- &
  "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/half" --threads 1 \
    --metrics "$DIR/half.metrics" <"$DIR/scored" 3>&- &
  local trainer=$! steps=0
  for i in $(seq 1200); do
    steps=$(cat "$DIR/half.metrics" 2>/dev/null | wc -l)
    [ "$steps" -ge 3 ] && break
    sleep 0.05
  done
  kill -9 "$trainer"
  [ "$steps" -ge 3 ]
  local status=0
  wait "$rollout" || status=$?
  [ "$status" -eq 69 ] || [ "$status" -eq 0 ] # it waited for the step, or was writing
  wait
}

@test "a second trainer in the same run is refused" {
  mkfifo "$DIR/held"
  "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$DIR/two" --threads 1 <"$DIR/held" 3>&- &
  exec 7>"$DIR/held"
  for i in $(seq 1200); do [ -d "$DIR/two/step-0" ] && break; sleep 0.05; done
  run "$BIN/grpo-step" -m "$DIR/start" --publish "$DIR/two" --threads 1 </dev/null
  exec 7>&-
  [ "$status" -eq 69 ]
  [[ "$output" == *"another trainer"* ]]
  wait
}
