#!/usr/bin/env bats
# datareport, make report-data, seed2syn --preview: counts against jq's, the page, bad input.

bats_require_minimum_version 1.5.0

setup() {
  bin=${BIN:-bin}
  spec=seeds/git/cli.json
  seeds=seeds/git/seeds.jsonl
  dir=$BATS_TEST_TMPDIR
}

make_data() {
  "$bin/seed2syn" --spec $spec -n 5000 --seed 1 --quiet -o "$dir/raw" $seeds
  "$bin/synvalidate" --spec $spec --seed 1 --quiet --plain -o "$dir/data" \
    --rejects "$dir/rejects" "$dir/raw"
}

@test "counts are those that jq makes" {
  make_data
  run -0 "$bin/datareport" --spec $spec --rejects "$dir/rejects" --samples 3 "$dir/data"
  records=$(jq -s length "$dir/data")
  declined=$(jq -s 'map(select(.argv == null)) | length' "$dir/data")
  rejected=$(jq -s length "$dir/rejects")
  [ "${lines[0]%% (*}" = "git: $records records, $declined of them declined; $rejected rejected" ]
  echo "$output" >"$dir/out"
  for command in commit clone mv; do
    n=$(jq -s --arg c $command 'map(select(.argv and .argv[1] == $c)) | length' "$dir/data")
    grep -qE "^  $command +$n " "$dir/out"
  done
  for split in train valid test; do
    n=$(jq -s --arg s $split 'map(select(.split == $s)) | length' "$dir/data")
    grep -qE "^  $split +$n " "$dir/out"
  done
  for check in duplicates near-duplicates; do
    n=$(jq -s --arg c $check 'map(select(.reason.check == $c)) | length' "$dir/rejects")
    grep -qE "^  $check +$n " "$dir/out"
  done
  for why in missing talk danger; do
    n=$(jq -s --arg w "oos.$why/" 'map(select(any(.origin.template[]?; startswith($w)))) | length' "$dir/data")
    grep -qE "^  out-of-scope, $why +$n " "$dir/out"
  done
  [ "$(grep -c '^Samples: ' "$dir/out")" -ge 5 ]
}

@test "lengths, vocabulary and similarity of a data set that can be counted by hand" {
  cat >"$dir/data" <<'END'
{"request":"Show the status!","argv":["git","status"]}
{"request":"show the status, please","argv":["git","status"]}
{"request":"clone https://a.example.org","argv":["git","clone","https://a.example.org"]}
{"request":"clone https://b.example.org","argv":["git","clone","https://b.example.org"]}
END
  run -0 "$bin/datareport" --spec $spec "$dir/data"
  # 3 + 4 + 2 + 2 words; show the status please clone and two addresses
  [[ $output == *"words: mean 2.8, half have at most 2, 95 % at most 4"* ]]
  [[ $output == *"vocabulary: 7 words, 3 of them used once; 5 pairs of neighbours in 7"* ]]
  [[ $output == *"wordings (values left out): 3 in 4 records, 25.00 % repeat an earlier one"* ]]
  # {show the status, show-the the-status} and two more: 5/7; clone + address + pair: 1/5
  [[ $output == *"to the nearest other request: mean 0.457; at least 0.8 for 0.00 %"* ]]
}

@test "the page needs nothing else, and text in it is text" {
  printf '%s\n' '{"request":"<script>alert(1)</script> & \u001b[31m","argv":null}' >"$dir/data"
  run -0 "$bin/datareport" --spec $spec --html "$dir/page.html" "$dir/data"
  [[ $output != *$'\033'* ]]
  run -1 grep -qiE '<script|<link|<img|src=|href=|url\(|@import' "$dir/page.html"
  run -0 grep -qF '&lt;script&gt;alert(1)&lt;/script&gt; &amp; \x1b[31m' "$dir/page.html"
  run -0 python3 - "$dir/page.html" <<'END'
import html.parser, sys
class Balance(html.parser.HTMLParser):
    open_tags = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open_tags.append(tag)
    def handle_endtag(self, tag):
        assert self.open_tags.pop() == tag, tag
page = Balance()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.open_tags, page.open_tags
END
}

@test "the same data, the same report" {
  make_data
  "$bin/datareport" --spec $spec --html "$dir/a.html" "$dir/data" >"$dir/a"
  "$bin/datareport" --spec $spec --html "$dir/b.html" <"$dir/data" >"$dir/b"
  cmp "$dir/a" "$dir/b"
  cmp "$dir/a.html" "$dir/b.html"
}

@test "preview shows pairs for people, and no records" {
  run -0 "$bin/seed2syn" --spec $spec --preview 10 --seed 1 $seeds
  [ "${#lines[@]}" = 20 ]
  for i in 1 3 5 7 9 11 13 15 17 19; do
    [[ ${lines[i]} == "    git"* || ${lines[i]} == "    (declined)" ]]
  done
  # The first is record 0 of the same seed.
  "$bin/seed2syn" --spec $spec -n 1 --seed 1 --plain --quiet -o "$dir/one" $seeds
  [ "${lines[0]}" = "$(jq -r .request "$dir/one")" ]
}

@test "bad input: no spec, no file, a broken record, a record without request" {
  run -64 "$bin/datareport"
  run -66 "$bin/datareport" --spec $spec "$dir/none"
  echo '{"request": 1' >"$dir/bad"
  run -65 "$bin/datareport" --spec $spec "$dir/bad"
  echo '{"argv":["git"]}' >"$dir/bad"
  run -65 --separate-stderr "$bin/datareport" --spec $spec "$dir/bad"
  [[ $stderr == *"bad:1: "*"request"* ]]
  : >"$dir/empty"
  run -0 "$bin/datareport" --spec $spec "$dir/empty"
  [ "${lines[0]}" = "git: 0 records, 0 of them declined" ]
  run -74 bash -c "'$bin/datareport' --spec $spec '$dir/empty' >/dev/full"
}

@test "make report-data writes the page beside the data" {
  run -0 make --no-print-directory report-data CLI=jq N=2000 SEED=1 RUN="$dir/run"
  [[ $output == *"legal pairs"* ]]
  [ -s "$dir/run/data.html" ]
}
