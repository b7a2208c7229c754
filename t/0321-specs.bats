#!/usr/bin/env bats
# Every CLI in seeds/: what its dataset covers, what is rejected, and at what cost.

bats_require_minimum_version 1.5.0

setup() {
  bin=${BIN:-bin}
  specs=(seeds/*/cli.json)
  [ ${#specs[@]} -ge 9 ]
}

@test "every command, option, accepted value and legal pair is covered; the pairs are counted" {
  for spec in "${specs[@]}"; do
    "$bin/seed2syn" --spec "$spec" -n 20000 --seed 3 --quiet --plain -o "$BATS_TEST_TMPDIR/raw" \
      --report "$BATS_TEST_TMPDIR/report" "${spec%cli.json}seeds.jsonl"
    run -0 jq -e '[.commands, .options, .values, .pairs] | all(.covered == .total and .missing == [])' \
      "$BATS_TEST_TMPDIR/report"
    run -0 jq -er '"\(.cli): \(.pairs.total) legal pairs, all covered" | select(. != "")' \
      "$BATS_TEST_TMPDIR/report"
    echo "# $output" >&3
    pairs=$(jq .pairs.total "$BATS_TEST_TMPDIR/report")
    [ "$pairs" -ge 100 ]
  done
}

@test "the records of every CLI are accepted but for duplicates and a few" {
  for spec in "${specs[@]}"; do
    "$bin/seed2syn" --spec "$spec" -n 20000 --seed 4 --quiet -o "$BATS_TEST_TMPDIR/raw" \
      "${spec%cli.json}seeds.jsonl"
    "$bin/synvalidate" --spec "$spec" --quiet --plain -o "$BATS_TEST_TMPDIR/data" \
      --rejects "$BATS_TEST_TMPDIR/rejects" "$BATS_TEST_TMPDIR/raw"
    run -0 jq -rs 'map(.reason.check) | group_by(.) | map({(.[0]): length}) | add // {}
      | "\(.verdict // 0) \(.canonical // 0) \(.schema // 0) \((.leftovers // 0) + (.grounded // 0) + (.contradictions // 0)) \([.[]] | add // 0)"' \
      "$BATS_TEST_TMPDIR/rejects"
    read -r verdict canonical schema others all <<<"$output"
    echo "$spec: $output"
    [ "$verdict" = 0 ]
    [ "$canonical" = 0 ]
    [ "$schema" = 0 ]
    [ "$others" -le 40 ]   # two in a thousand
    [ "$all" -le 1600 ]    # eight in a hundred
  done
}

@test "every CLI has seeds of people, in and out of scope, and each is canonical" {
  for spec in "${specs[@]}"; do
    seeds=${spec%cli.json}seeds.jsonl
    run -0 jq -es '(map(select(.argv)) | length) >= 52 and (map(select(.argv == null)) | length) >= 8
      and length >= 60' "$seeds"
    run -0 "$bin/synvalidate" --spec "$spec" --checks verdict,canonical,leftovers,grounded,contradictions \
      --plain --rejects "$BATS_TEST_TMPDIR/rejects" -o "$BATS_TEST_TMPDIR/data" "$seeds"
    cat "$BATS_TEST_TMPDIR/rejects"
    [ ! -s "$BATS_TEST_TMPDIR/rejects" ]
  done
}

# Processor time of seed2syn in milliseconds, the least of three.
cost() { # SPEC N
  local best= now
  for _ in 1 2 3; do
    now=$({
      TIMEFORMAT='%U'
      time "$bin/seed2syn" --spec "$1" -n "$2" --seed 1 --quiet --plain -o /dev/null "${1%cli.json}seeds.jsonl"
    } 2>&1)
    now=${now/./}
    now=$((10#$now))
    if [ -z "$best" ] || [ "$now" -lt "$best" ]; then best=$now; fi
  done
  echo "$best"
}

@test "generation time grows as the number of records does" {
  for cli in git curl; do
    spec=seeds/$cli/cli.json
    none=$(cost "$spec" 1)
    some=$(cost "$spec" 50000)
    many=$(cost "$spec" 400000)
    echo "$cli: $none ms for 1, $some ms for 50000, $many ms for 400000"
    # Eight times the records: eight times the time, with a margin; twice as much would
    # already be far from what sorting or comparing all with all would cost.
    [ $((many - none)) -le $((16 * (some - none))) ]
  done
}
