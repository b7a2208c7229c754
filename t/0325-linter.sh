#!/bin/bash
# Over 100,000 generated records, of every CLI in seeds/, the usual ones and the hardest: no
# unfilled slot, no doubled word, no value that the argv does not state (lint_requests.py,
# written apart from the generator's own checks).  `make lint-data` lints over 100,000 of
# each CLI and kind.
cd "$(dirname "$0")/.." || exit 1
bin=${BIN:-bin}
count=${COUNT:-11800}
hard=${COUNT:-4000}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
specs=(seeds/*/cli.json)
echo "1..$((2 * ${#specs[@]} + 2))"
n=0
records=0
failed=0

result() { # STATUS NAME
  n=$((n + 1))
  [ "$1" = 0 ] || failed=1
  [ "$1" = 0 ] || printf 'not '
  echo "ok $n - $2"
}

cat >"$dir/planted" <<'END'
{"request":"clone {} now","argv":["git","clone","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
{"request":"clone the the repo https://a.example.org","argv":["git","clone","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
{"request":"clone https://a.example.org and make it do not fetch tags","argv":["git","clone","--no-tags","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
{"request":"clone https://a.example.org with a depth of 7","argv":["git","clone","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
{"request":"stage src/main.c --force","argv":["git","add","src/main.c"],"origin":{"kind":"synth","template":[]}}
{"request":"get https://a.example.org in 7 minutes","argv":["curl","--max-time","120","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
{"request":"clone https://a.example.org with a depth of 7, not 8","argv":["git","clone","--depth","9","https://a.example.org"],"origin":{"kind":"synth","template":[]}}
END
found=$(python3 t/lint_requests.py seeds/git/cli.json "$dir/planted" | cut -d: -f1 | head -n 7 | tr '\n' ' ')
[ "$found" = "slot doubled grammar value value value value " ]
result $? "planted faults are found ($found)"

lint() { # SPEC COUNT NAME OPTION...
  local spec=$1 count=$2 name=$3 status
  shift 3
  "$bin/seed2syn" --spec "$spec" -n "$count" --seed 5 --quiet "$@" -o "$dir/raw" "${spec%cli.json}seeds.jsonl" &&
    "$bin/synvalidate" --quiet --spec "$spec" --plain -o "$dir/data" "$dir/raw" &&
    python3 t/lint_requests.py "$spec" "$dir/data" >"$dir/out"
  status=$?
  [ $status = 0 ] || sed 's/^/# /' "$dir/out" | head -n 10
  records=$((records + $(wc -l <"$dir/data")))
  result $status "$name: $(tail -n 1 "$dir/out")"
}

for spec in "${specs[@]}"; do
  cli=$(basename "$(dirname "$spec")")
  lint "$spec" "$count" "$cli"
  lint "$spec" "$hard" "$cli, hardest" --difficulty 5
done
[ $records -ge 100000 ]
result $? "$records records in all"
exit $failed
