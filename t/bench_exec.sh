#!/bin/bash
# Prints how long confirm-exec takes from Enter to the command: a person at a terminal
# (t/helper-pty.c) says yes to date(1), which prints when it runs; with what it takes to look
# at the clock before the key is pressed, and to start date.  Medians of RUNS runs.
cd "$(dirname "$0")/.." || exit 1
bin=${BIN:-bin} helpers=${TEST_BIN:-build/release/t} runs=${RUNS:-20}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/date.json" <<'JSON'
{"opencli": "0.1", "info": {"title": "date", "summary": "Print the time.", "version": "1"},
 "commands": [], "options": [{"name": "--date", "description": "Another time.", "arguments": [{"name": "time"}]}],
 "arguments": [{"name": "format", "required": true, "arity": {"minimum": 1, "maximum": 1}}],
 "metadata": [{"name": "dialect", "value": "getopt_long"}]}
JSON
"$bin/confirm-exec" --pin /usr/bin/date >"$dir/policy.json" || exit 1

once() {
  local out
  out=$(printf '{"proposal":["date","+at %%s%%N"]}' | "$helpers/helper-pty" after '[y/N] ' \
    do "date +%s%N >$dir/enter" type 'y\n' -- "$bin/confirm-exec" --spec "$dir/date.json" \
    --policy "$dir/policy.json" --audit "$dir/log" --cwd "$dir" "$@") || { echo "$out" >&2 && return 1; }
  echo $(($(sed -n 's/^at \([0-9]*\).*/\1/p' <<<"$out") - $(<"$dir/enter")))
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
for box in --timeout=60 --no-sandbox; do
  for _ in $(seq "$runs"); do
    once $box || exit 1
  done | sort -n | awk -v what="$([ $box = --no-sandbox ] && echo 'no sandbox' || echo 'sandbox')" '
    { t[NR] = $1 / 1e6 }
    END { if (!NR) exit 1
          printf "confirm-exec, Enter to command, %s: %.1f ms (median of %d; %.1f to %.1f)\n", what,
            t[int((NR + 1) / 2)], NR, t[1], t[NR] }' || exit 1
done
