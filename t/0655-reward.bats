#!/usr/bin/env bats
# reward: scores, missing results, rescoring, streams.

bats_require_minimum_version 1.5.0

setup() {
  bin="${BIN:-bin}"
  spec=testdata/check/cli.json
  cd "$BATS_TEST_DIRNAME/.." || return 1
}

rollouts() {
  jq -nc --argjson n "$1" 'range($n) | {group: "g\(. / 4 | floor)", sample: (. % 4), argv: ["tool", "serve", "--port", "80"],
    answer: ["tool", "serve", "--port", "\(78 + . % 4)"], logprobs: [-0.1, -0.25], tokens: [1, 2]}'
}

@test "reward says what it is and refuses bad usage" {
  run "$bin/reward" --help
  [ "$status" -eq 0 ]
  [[ "$output" == *--scheme* && "$output" == *refus* ]]
  run "$bin/reward" --version
  [ "$status" -eq 0 ]
  [[ "$output" == "reward "* ]]
  run "$bin/reward" --nonsense
  [ "$status" -eq 64 ]
  run "$bin/reward"
  [ "$status" -eq 64 ]
  run "$bin/reward" --spec $spec --scheme kind
  [ "$status" -eq 64 ]
  run "$bin/reward" --spec $spec -w --port
  [ "$status" -eq 64 ]
  run "$bin/reward" --spec $spec -w --prt=2 </dev/null
  [ "$status" -eq 64 ]
  [[ "$output" == *--prt* ]]
}

@test "the field answer decides; other fields pass unchanged" {
  printf '%s\n' \
    '{"argv":["tool","serve"],"answer":["tool","serve"],"big":12345678901234567890}' \
    '{"argv":["tool","serve"],"answer":null}' \
    '{"argv":["tool","serve"],"text":"nonsense"}' \
    '{"argv":null,"answer":null}' \
    '{"argv":null,"answer":["tool","serve"]}' \
    '{"argv":["tool","serve"],"answer":["tool","fly"]}' \
    '{"argv":["tool","serve"],"answer":["tool",7]}' \
    '{"argv":["tool","serve"],"answer":["tool","serve\u0000"]}' \
    '{"argv":["tool","serve"],"answer":["tool","remove","x"],"reward":1,"reward_parts":{"a":1}}' >"$BATS_TEST_TMPDIR/in"
  "$bin/reward" --quiet --plain --spec $spec "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out"
  [ "$(jq -c .reward "$BATS_TEST_TMPDIR/out" | tr '\n' ' ' | sed 's/\.0\b//g')" = "1 -0.75 -1 1 -1 -1 -1 -1 -0.95 " ]
  [ "$(jq -c '.verdict.code' "$BATS_TEST_TMPDIR/out" | tr '\n' ' ')" = '"ok" "ok" "empty" "ok" "ok" "unknown-command" "empty" "empty" "ok" ' ]
  grep -q '"big":12345678901234567890' "$BATS_TEST_TMPDIR/out"
  run jq -e -s 'all(.[]; .reward_parts | has("valid") and has("command") and has("items") and has("exact"))' "$BATS_TEST_TMPDIR/out"
  [ "$status" -eq 0 ]
  "$bin/reward" --quiet --plain --spec $spec --scheme strict "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/strict"
  [ "$(jq -c .reward "$BATS_TEST_TMPDIR/strict" | tr '\n' ' ' | sed 's/\.0\b//g')" = "1 -1 -1 1 -1 -1 -1 -1 -1 " ]
}

@test "a record at fault has no result, and says why" {
  printf '%s\n' '{"argv":["tool","fly"],"answer":["tool","serve"],"reward":1}' '{"answer":null}' '{"argv":7,"answer":null}' >"$BATS_TEST_TMPDIR/in"
  run --separate-stderr "$bin/reward" --plain --spec $spec "$BATS_TEST_TMPDIR/in"
  [ "$status" -eq 0 ]
  [ "$(jq -c 'has("reward") and .reward == null and (.reward_parts.error | length > 0)' <<<"$output" | sort -u)" = true ]
  [[ "$stderr" == *"3 of 3"* ]]
}

@test "rescoring changes nothing; weights change partial credit only" {
  rollouts 400 | "$bin/reward" --quiet --plain --spec $spec >"$BATS_TEST_TMPDIR/a"
  "$bin/reward" --quiet --plain --spec $spec "$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/b"
  cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
  in='{"argv":["tool","serve","--port","80","--quiet"],"answer":["tool","serve","--quiet"]}'
  light=$("$bin/reward" --quiet --plain --spec $spec -w --quiet=0.5 <<<"$in" | jq .reward)
  heavy=$("$bin/reward" --quiet --plain --spec $spec -w --quiet=4 -w -p=1 <<<"$in" | jq .reward)
  jq -en "$light < $heavy and $heavy < -0.5"
}

@test "a batch is passed on before the next one comes" {
  mkfifo "$BATS_TEST_TMPDIR/to"
  "$bin/reward" --quiet --plain --spec $spec <"$BATS_TEST_TMPDIR/to" >"$BATS_TEST_TMPDIR/out" 3>&- &
  exec 5>"$BATS_TEST_TMPDIR/to"
  for batch in 1 2 3; do
    rollouts 8 >&5
    for _ in $(seq 200); do
      [ "$(grep -c . "$BATS_TEST_TMPDIR/out")" -eq $((batch * 8)) ] && break
      sleep 0.1
    done
    [ "$(grep -c . "$BATS_TEST_TMPDIR/out")" -eq $((batch * 8)) ]
  done
  exec 5>&-
  wait
}

@test "a broken line is 65, a truncated stream too, a full disk 74, a closed pipe 0" {
  rollouts 3000 >"$BATS_TEST_TMPDIR/in"
  printf '%s\n' '{"argv":[' >"$BATS_TEST_TMPDIR/bad"
  run "$bin/reward" --quiet --spec $spec -o "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/bad"
  [ "$status" -eq 65 ]
  [[ "$output" == *bad:1:* ]]
  [ ! -e "$BATS_TEST_TMPDIR/out" ]
  zstd -q "$BATS_TEST_TMPDIR/in"
  head -c 1000 "$BATS_TEST_TMPDIR/in.zst" >"$BATS_TEST_TMPDIR/part.zst"
  run bash -c "'$bin/reward' --quiet --spec $spec '$BATS_TEST_TMPDIR/part.zst' >/dev/null"
  [ "$status" -eq 65 ]
  run bash -c "'$bin/reward' --quiet --plain --spec $spec '$BATS_TEST_TMPDIR/in' >/dev/full"
  [ "$status" -eq 74 ]
  run bash -c "set -o pipefail; '$bin/reward' --quiet --plain --spec $spec '$BATS_TEST_TMPDIR/in' | head -n 2 | wc -l"
  [ "$status" -eq 0 ]
  [ "$output" -eq 2 ]
}
