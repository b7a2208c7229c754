#!/usr/bin/env bats
# seed2syn --difficulty and the rates: what each kind of request is, and that all of them hold.

bats_require_minimum_version 1.5.0

setup() {
  bin=${BIN:-bin}
  dir=$BATS_TEST_TMPDIR
}

make_data() { # CLI N OPTION...: $dir/data, checked, and $dir/rejects
  local cli=$1 n=$2
  shift 2
  "$bin/seed2syn" --spec "seeds/$cli/cli.json" -n "$n" --seed 7 --quiet --plain "$@" -o "$dir/raw" "seeds/$cli/seeds.jsonl"
  "$bin/synvalidate" --spec "seeds/$cli/cli.json" --quiet --plain -o "$dir/data" --rejects "$dir/rejects" "$dir/raw"
}

count() { # JQ-CONDITION: how many synthetic records of $dir/data
  jq -s "map(select(.origin.kind != \"seed\" and ($1))) | length" "$dir/data"
}

@test "level 3 is what is written where nobody asks for anything" {
  for cli in langgraph git; do
    make_data $cli 5000
    sum=$(sha256sum <"$dir/raw")
    make_data $cli 5000 --difficulty 3
    [ "$(sha256sum <"$dir/raw")" = "$sum" ]
    make_data $cli 5000 --difficulty 4
    [ "$(sha256sum <"$dir/raw")" != "$sum" ]
  done
}

@test "every level is grounded, canonical and free of contradictions; harder is longer" {
  for cli in langgraph curl docker; do
    last=0
    for level in 1 2 4 5; do
      make_data $cli 6000 --difficulty $level
      run -0 jq -rs 'map(.reason.check | select(. as $c
        | ["duplicates", "near-duplicates"] | index($c) | not)) | length' "$dir/rejects"
      echo "$cli, level $level: $output rejected"
      [ "$output" -le 6 ]
      words=$(jq -s 'map(select(.argv and .origin.kind != "seed") | .argv | length) | add / length * 100 | floor' "$dir/data")
      [ "$words" -gt "$last" ]
      last=$words
    done
  done
}

@test "level 1 asks for one option at most, beside what must be there" {
  make_data langgraph 4000 --difficulty 1
  # Some need another: a key its certificate, an agent its environment, a namespace an image.
  run -0 count '.argv and ([.argv[] | select(test("^--[a-z]") and (test("^--(ssl|agent|k8s|image|push)-") | not))] | length) > 1'
  [ "$output" = 0 ]
  run -0 count '.argv and ([.argv[] | select(startswith("--"))] | length) == 1'
  [ "$output" -gt 500 ]
}

@test "numbers are said in words, with separators, with their units" {
  make_data curl 6000 --spoken 1
  [ "$(count '.request | test("(twenty|thirty|forty|fifty|sixty|hundred|thousand)"; "i")')" -gt 40 ]
  [ "$(count '.request | test("[a-z0-9] (seconds|secs|sec)\\b"; "i")')" -gt 100 ]
  make_data docker 6000 --spoken 1 --units 0
  [ "$(count '.request | test("[0-9] [kmg]b?\\b"; "i")')" -gt 20 ]
  make_data langgraph 6000 --spoken 1
  [ "$(count '.request | test("[0-9],[0-9]{3}\\b")')" -gt 30 ]
  make_data langgraph 6000
  [ "$(count '.request | test("(fifty|sixty|seventy|hundred|thousand)"; "i")')" = 0 ]
}

@test "amounts are said in another unit than the option counts, and come to its value" {
  for cli in curl docker rsync; do
    make_data "$cli" 6000 --units 1
    [ "$(count '.argv and (.request | test("\\b(min|minute|hour|kilobyte|megabyte|gigabyte|gig|meg)s?\\b"; "i"))')" -gt 40 ]
    "${BIN:-bin}/synvalidate" --quiet --spec "seeds/$cli/cli.json" --checks grounded --rejects "$dir/rejects" -o "$dir/good" "$dir/data"
    run -0 zstdcat -f "$dir/rejects"
    [ -z "$output" ]
  done
  make_data curl 6000 --units 1
  # Two minutes are 120 here.
  jq -c 'select(.argv and (.request | test("(^|[^0-9.])(two|2) ?min"; "i") and (test("left") | not))) | .argv | any(. == "120")' "$dir/data" | sort | uniq -c >"$dir/values"
  grep -q true "$dir/values"
  ! grep -q false "$dir/values"
  make_data curl 6000 --units 0
  [ "$(count '.argv and (.origin.kind != "seed") and (.request | test("timeout (be )?[0-9a-z]+ (minute|hour)s?\\b"; "i"))')" = 0 ]
}

@test "names and texts with blanks and quotes are still stated whole" {
  make_data git 6000 --spaces 1
  [ "$(count '.argv and any(.argv[]; test("[\u0022\u0027]"))')" -gt 20 ]
  [ "$(count '.argv and any(.argv[]; test("[a-z] [a-z0-9 ]*[.]"))')" -gt 100 ]
}

@test "a corrected value is the one that counts" {
  make_data langgraph 6000 --corrections 1
  jq -c 'select(.origin.kind == "synth" and .argv and (.request
    | test("(sorry, I meant|no wait,) [^ ]+, not [^ ]+$|(actually|make that) [^ ]+ instead of [^ ]+$"; "i")))' \
    "$dir/data" >"$dir/late"
  [ "$(jq -s length "$dir/late")" -gt 200 ]
  # What stands behind "not" or "instead of" is in no argv, what stands before it is in all.
  run -0 jq -rs 'def plain: gsub("^[\u0022\u0027`]|[\u0022\u0027`.!?]+$"; "");
    map((.request | capture("(?<right>[^ ]+?),? (not|instead of) (?<wrong>[^ ]+)$"; "i")) as $c
      | select((.argv | index($c.right | plain) | not) or (.argv | index($c.wrong | plain)))) | length' "$dir/late"
  echo "$output"
  [ "$output" = 0 ]
}

@test "flags that say no are said without" {
  make_data langgraph 6000 --negations 1
  [ "$(count '.argv and (.argv | index("--no-browser")) and (.request | test("without opening"; "i"))')" -gt 20 ]
  [ "$(count '.argv and (.argv | index("--no-browser") | not) and (.request | test("without opening (the|a) browser"; "i"))')" = 0 ]
}

@test "verbs come last" {
  last='.request | test("the (server|project|config|image|app)[a-z ]* (start|launch|build|deploy|check|validate|run)\\b"; "i")'
  make_data langgraph 6000
  [ "$(count "$last")" -le 12 ]
  make_data langgraph 6000 --word-order 1
  [ "$(count "$last")" -gt 20 ]
}

@test "hard negatives are declined, and differ from a valid request in a value or a verb" {
  make_data langgraph 6000 --out-of-scope 1 --hard-negatives 1
  [ "$(count '.argv == null and any(.origin.template[]; startswith("oos.hard/"))')" -gt 4000 ]
  for kind in 0 1 2; do
    [ "$(count "any(.origin.template[]; . == \"oos.hard/$kind\")")" -gt 500 ]
  done
  [ "$(count '.argv != null')" = 0 ]
}

@test "no chatter, no slips; or everywhere" {
  make_data langgraph 3000 --chatter 0 --typos 0
  [ "$(count '.request | test("^(hey|hello|hi|good morning)\\b|thx|much appreciated"; "i")')" -le 20 ]
  make_data langgraph 3000 --chatter 1
  [ "$(count '.request | test("^(hey|hello|hi|good morning|okay)\\b"; "i")')" -gt 80 ]
}

@test "a command is drawn as often as its weight says, and covered all the same" {
  make_data langgraph 20000
  before=$(count '.argv and .argv[1] == "up"')
  make_data langgraph 20000 --weight up=5 --weight deploy.list=0
  after=$(count '.argv and .argv[1] == "up"')
  echo "$before before, $after after"
  [ "$after" -gt $((2 * before)) ]
  [ "$(count '.argv and .argv[1:3] == ["deploy", "list"]')" -gt 10 ]
  for wrong in up up= up=-1 up=x none=1 =1; do
    run -64 --separate-stderr "$bin/seed2syn" --spec seeds/langgraph/cli.json -n 1 --weight "$wrong"
    [[ $stderr == *"--weight"* ]]
  done
}

@test "generation time at the hardest level grows as the number of records does" {
  TIMEFORMAT=%U
  for n in 1 40000 320000; do
    cost[n]=$({ time "$bin/seed2syn" --spec seeds/git/cli.json -n $n --quiet --plain --difficulty 5 \
      -o /dev/null seeds/git/seeds.jsonl; } 2>&1 | tr -d .)
  done
  none=$((10#${cost[1]})) some=$((10#${cost[40000]})) many=$((10#${cost[320000]}))
  echo "# hardest: $none ms for 1, $some ms for 40000, $many ms for 320000"
  [ $((many - none)) -le $((16 * (some - none))) ]
}

@test "every legal pair is covered at the hardest level, too" {
  for cli in langgraph git; do
    "$bin/seed2syn" --spec seeds/$cli/cli.json -n 20000 --seed 3 --quiet --difficulty 5 -o "$dir/raw" \
      --report "$dir/report" seeds/$cli/seeds.jsonl
    run -0 jq -e '[.commands, .options, .values, .pairs] | all(.covered == .total)' "$dir/report"
  done
}

@test "a level or a rate that there is not is a usage error" {
  for wrong in --difficulty=0 --difficulty=6 --difficulty=x --spoken=1.5 --typos=-1 --hard-negatives=; do
    run -64 --separate-stderr "$bin/seed2syn" --spec seeds/jq/cli.json -n 1 $wrong
    [[ $stderr == *"${wrong%%=*}"* ]]
  done
}
