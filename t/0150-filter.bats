#!/usr/bin/env bats
# What every filter does the same way, shown by the smallest one; zstd and jq are
# the judges.

setup() {
  copy=${HELPERS:-build/release/t}/helper-copy
  d=$BATS_TEST_TMPDIR
  jq -nc 'range(5000) | {id: ., request: "start on port \(. * 7)", argv: ["up", "--port", "\(. * 7)"]}' >"$d/in"
  zstd -q "$d/in" -o "$d/in.zst"
}

# fails CODE MESSAGE ARGUMENTS: exactly this line on standard error.
fails() {
  local code=$1 message=$2 rc=0
  shift 2
  "$copy" "$@" >"$d/out" 2>"$d/err" || rc=$?
  echo "rc $rc, said: $(cat "$d/err")"
  [ "$rc" -eq "$code" ]
  [ "$(cat "$d/err")" = "helper-copy: $message" ]
}

@test "help and version go to standard output" {
  "$copy" --help >"$d/out" 2>"$d/err"
  [ ! -s "$d/err" ]
  for option in --output=FILE --skip-bad=FILE --plain --quiet; do
    grep -q -- "$option" "$d/out"
  done
  grep -q 'FILE\.\.\.' "$d/out"
  run "$copy" --version
  [ "$status" -eq 0 ]
  [[ $output =~ ^helper-copy\ [0-9]+\.[0-9]+ ]]
}

@test "a bad option is exit 64" {
  run "$copy" --no-such-option
  [ "$status" -eq 64 ]
  [[ $output == *"unrecognized option '--no-such-option'"* ]]
  run "$copy" --output
  [ "$status" -eq 64 ]
}

@test "zstd in, zstd out: zstdcat sees the same bytes" {
  "$copy" "$d/in.zst" >"$d/out.zst"
  zstd -qt "$d/out.zst"
  zstdcat "$d/out.zst" | cmp - "$d/in"
  [ "$(stat -c %s "$d/out.zst")" -lt $(($(stat -c %s "$d/in") / 3)) ]
}

@test "plain in, plain out, from a pipe and from a file" {
  cat "$d/in" | "$copy" --plain | cmp - "$d/in"
  "$copy" --plain "$d/in" | cmp - "$d/in"
  "$copy" --plain - <"$d/in.zst" | cmp - "$d/in"
}

@test "the same input gives the same bytes" {
  "$copy" "$d/in" >"$d/a"
  cat "$d/in.zst" | "$copy" >"$d/b"
  cmp "$d/a" "$d/b"
}

@test "no records: an empty frame, empty text" {
  "$copy" </dev/null >"$d/out.zst"
  zstd -qt "$d/out.zst"
  [ "$(zstdcat "$d/out.zst" | wc -c)" -eq 0 ]
  [ "$("$copy" --plain </dev/null | wc -c)" -eq 0 ]
  "$copy" --plain "$d/out.zst" | cmp - /dev/null
}

@test "several inputs in their order, of both kinds" {
  echo '{"id":"first"}' >"$d/first"
  echo '{"id":"last"}' | "$copy" --plain "$d/first" "$d/in.zst" - >"$d/out"
  cat "$d/first" "$d/in" <(echo '{"id":"last"}') | cmp - "$d/out"
}

@test "set fields as jq would, keep the others byte for byte" {
  "$copy" --plain --set 'new=[1,"x"]' "$d/in" >"$d/out"
  jq -c '. + {new: [1, "x"]}' "$d/in" | cmp - "$d/out"
  "$copy" --plain --set 'request=null' "$d/in" >"$d/out"
  jq -c '.request = null' "$d/in" | cmp - "$d/out"
  odd='{ "n":12345678901234567890123, "e" : 1e400,"s":"\u00e9\u0000\/" }'
  [ "$(echo "$odd" | "$copy" --plain --set a=1)" = "${odd% \}},\"a\":1 }" ]
}

@test "a bad record is exit 65, named by file and line, and the frame unfinished" {
  (head -n 2 "$d/in"; echo '{"a":1,"a":2}'; tail -n 1 "$d/in") >"$d/bad"
  fails 65 "$d/bad:3: byte 8: field 'a' occurs twice" "$d/bad"
  run zstd -qt "$d/out"
  [ "$status" -ne 0 ]
  fails 65 "$d/bad:3: byte 8: field 'a' occurs twice" -o "$d/file" "$d/bad"
  [ ! -e "$d/file" ]
  # A bad first record, too: an empty output would look like a whole one.
  echo x | fails 65 "standard input:1: byte 1: not a JSON object"
  run "$copy" --plain "$d/out"
  [ "$status" -eq 65 ]
  [[ $output == *"truncated zstd stream"* ]]
}

@test "--skip-bad keeps bad lines as they are" {
  printf '{"a":1}\nnot json\n{"b":"\xff"}\r\n[]\n{"c":3}' >"$d/mixed"
  "$copy" --plain --skip-bad "$d/skipped" "$d/mixed" >"$d/out" 2>"$d/err"
  [ "$(cat "$d/out")" = $'{"a":1}\n{"c":3}' ]
  printf 'not json\n{"b":"\xff"}\n[]\n' | cmp - "$d/skipped"
  [ "$(cat "$d/err")" = "helper-copy: 3 malformed lines put into '$d/skipped'" ]
  "$copy" --quiet --skip-bad "$d/skipped.zst" "$d/mixed" >"$d/out" 2>"$d/err"
  [ ! -s "$d/err" ]
  zstdcat "$d/skipped.zst" | cmp - "$d/skipped"
}

@test "a record that the program refuses is treated like a malformed one" {
  printf '{"a":1}\n{"b":2}\n{"c":3}\n' >"$d/three"
  fails 65 "$d/three:2: field 'b' is not wanted" --refuse b "$d/three"
  "$copy" --plain --refuse b --skip-bad "$d/skipped" "$d/three" >"$d/out"
  [ "$(cat "$d/out")" = $'{"a":1}\n{"c":3}' ]
  [ "$(cat "$d/skipped")" = '{"b":2}' ]
}

@test "what cannot be opened is exit 66, before any output" {
  fails 66 "cannot open '$d/none': No such file or directory" "$d/in" "$d/none"
  [ ! -s "$d/out" ]
  fails 66 "'$d' is a directory, not a file of records" "$d"
}

@test "truncated and corrupt zstd is exit 65" {
  size=$(stat -c %s "$d/in.zst")
  for cut in 2 5 100 $((size / 2)) $((size - 1)); do
    head -c "$cut" "$d/in.zst" >"$d/cut.zst"
    run zstd -qt "$d/cut.zst"
    [ "$status" -ne 0 ]
    run "$copy" --plain -o "$d/file" "$d/cut.zst"
    [ "$status" -eq 65 ]
    [[ $output == "helper-copy: $d/cut.zst: truncated zstd stream (byte $cut of the input, after line "*")" ]]
    [ ! -e "$d/file" ]
  done
  cp "$d/in.zst" "$d/flip.zst"
  printf 'XXXX' | dd of="$d/flip.zst" bs=1 seek=$((size / 2)) conv=notrunc status=none
  run "$copy" -o "$d/file" "$d/flip.zst"
  [ "$status" -eq 65 ]
  [ ! -e "$d/file" ]
}

@test "concatenated frames, as zstdcat reads them" {
  head -n 100 "$d/in" | zstd -q >"$d/two"
  tail -n 50 "$d/in" | zstd -q --no-check >>"$d/two"
  "$copy" --plain "$d/two" >"$d/out"
  zstdcat "$d/two" | cmp - "$d/out"
  (cat "$d/two"; echo garbage) >"$d/three"
  run "$copy" -o "$d/file" "$d/three"
  [ "$status" -eq 65 ]
  [[ $output == *"neither zstd nor text"* ]]
}

@test "head ends the filter quietly" {
  for option in --plain --quiet; do
    run bash -c 'set -o pipefail; yes "{\"a\":1}" | head -n 500000 | '"'$copy' $option"' | head -c 100 >/dev/null; echo "${PIPESTATUS[2]}"'
    [ "$output" = 0 ]
  done
  run bash -c "set -o pipefail; '$copy' --plain '$d/in' | head -n 5"
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 5 ]
}

@test "a full disk is exit 74" {
  [ -e /dev/full ] || skip "no /dev/full"
  for option in --plain --quiet; do
    run bash -c "'$copy' $option '$d/in' >/dev/full"
    [ "$status" -eq 74 ]
    [ "$output" = "helper-copy: cannot write standard output: No space left on device" ]
  done
  run "$copy" -o /dev/full "$d/in"
  [ "$status" -eq 74 ]
  [ -c /dev/full ]
}

@test "-o replaces a file only by a whole one, also by its own successor" {
  cp "$d/in" "$d/self"
  "$copy" --plain -o "$d/self" --set z=1 "$d/self"
  jq -c '. + {z: 1}' "$d/in" | cmp - "$d/self"
  [ -z "$(find "$d" -name '.self*')" ]
  "$copy" -o - "$d/in.zst" | zstdcat | cmp - "$d/in"
  "$copy" --plain -o >(cat >"$d/piped") "$d/in"
  for _ in $(seq 100); do cmp -s "$d/piped" "$d/in" && break; sleep 0.2; done
  cmp "$d/piped" "$d/in"
}

@test "an end before the end leaves no temporary file" {
  command -v python3 >/dev/null || skip "no python3"
  mkdir "$d/dir"
  # die() somewhere in the program: here, a value that is no JSON
  run "$copy" -o "$d/dir/out" --skip-bad "$d/dir/bad" --set a=nonsense "$d/in"
  [ "$status" -eq 70 ]
  [ -z "$(ls -A "$d/dir")" ]
  for signal in HUP INT TERM; do
    # bash ignores SIGINT for what it starts in the background; python does not.
    run python3 - "$copy" "$d/dir" "SIG$signal" "$d/in" <<'END'
import os, signal, subprocess, sys, time
copy, directory, name, data = sys.argv[1:]
number = getattr(signal, name)
signal.signal(number, signal.SIG_DFL)
child = subprocess.Popen([copy, "-o", directory + "/out"], stdin=subprocess.PIPE)
child.stdin.write(open(data, "rb").read())
child.stdin.flush()
for _ in range(400):
    if os.listdir(directory): break
    time.sleep(0.05)
assert len(os.listdir(directory)) == 1
child.send_signal(number)
sys.exit(child.wait() != -number)
END
    echo "$signal: $output"
    [ "$status" -eq 0 ]
    [ -z "$(ls -A "$d/dir")" ]
  done
}

@test "with --flush a loop of two programs goes round" {
  mkfifo "$d/there" "$d/back"
  timeout 70 "$copy" --flush <"$d/there" >"$d/back" &
  exec 7>"$d/there" 8<"$d/back"
  timeout 70 "$copy" --flush --plain <&8 7>&- >"$d/seen" &
  for n in 1 2 3; do
    echo "{\"n\":$n}" >&7
    for _ in $(seq 200); do [ "$(wc -l <"$d/seen")" -ge "$n" ] && break; sleep 0.1; done
    [ "$(wc -l <"$d/seen")" -eq "$n" ]
  done
  exec 7>&- 8<&-
  wait
}

@test "a pipe that somebody made non-blocking is waited for" {
  command -v python3 >/dev/null || skip "no python3"
  python3 - "$copy" "$d/in" <<'END'
import os, subprocess, sys, time
copy, name = sys.argv[1:]
data = open(name, "rb").read()
there, back = os.pipe(), os.pipe()
os.set_blocking(there[0], False)
os.set_blocking(back[1], False)
child = subprocess.Popen([copy, "--plain"], stdin=there[0], stdout=back[1])
os.close(there[0]), os.close(back[1])
time.sleep(0.2)
if os.fork() == 0:
    os.close(back[0])
    os.write(there[1], data[:100])
    time.sleep(0.2)
    os.write(there[1], data[100:])
    os._exit(0)
os.close(there[1])
time.sleep(0.6)
got = b""
while block := os.read(back[0], 4096):
    got += block
sys.exit(child.wait() or got != data)
END
}

@test "progress goes to a terminal, and not with --quiet" {
  command -v python3 >/dev/null || skip "no python3"
  local records=200 # until something is shown
  for option in --plain --quiet; do
    [ $option = --plain ] || records=5
    : >"$d/screen"
    (for n in $(seq $records); do
      echo "{\"n\":$n}"
      sleep 0.15
      ! grep -q records "$d/screen" || break
    done) |
      python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' \
        bash -c '"$1" '$option' -o "$2/out" <&3' - "$copy" "$d" 3<&0 </dev/null >"$d/screen"
    if [ "$option" = --plain ]; then
      grep -qE 'helper-copy: [0-9]+ records, [0-9]+/s' "$d/screen"
    else
      [ ! -s "$d/screen" ]
    fi
  done
}

@test "a line without end is refused, in bounded memory" {
  (echo '{}'; head -c 300000000 /dev/zero | tr '\0' ' ') | zstd -q1 >"$d/long.zst"
  (ulimit -v 2000000; run "$copy" --plain "$d/long.zst"
    [ "$status" -eq 65 ]
    [[ $output == *"a line is longer than 256 MiB"* ]])
}
