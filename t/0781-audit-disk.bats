#!/usr/bin/env bats
# confirm-exec where the disk of its log is full: nothing runs that is not in the log.

setup() {
  umask 022
  BIN=${BIN:-bin}
  HELPERS=${HELPERS:-build/release/t}
  W=$BATS_TEST_TMPDIR
  mkdir -m 755 "$W/bin" "$W/cwd" "$W/disk"
  cp "$HELPERS/helper-probe" "$W/bin/probe"
  "$BIN/confirm-exec" --pin "$W/bin/probe" >"$W/policy.json"
  unshare -rm mount -t tmpfs -o size=16k tmpfs "$W/disk" 2>"$W/why" ||
    skip "no file system of its own can be mounted here: $(head -1 "$W/why")"
}

@test "log disk full: the command that a person said yes to does not run" {
  export W BIN HELPERS
  # shellcheck disable=SC2016
  run unshare -rm bash -euc '
    mount -t tmpfs -o size=16k,mode=755 tmpfs "$W/disk"
    go() {
      printf %s "{\"proposal\":[\"probe\",\"args\",\"hello\"]}" |
        "$HELPERS/helper-pty" after "y/N] " type "y\n" -- "$BIN/confirm-exec" \
          --spec testdata/exec/probe.json --policy "$W/policy.json" --cwd "$W/cwd" --no-sandbox \
          --audit "$W/disk/log"
    }
    go >"$W/first"
    "$BIN/confirm-exec" --verify-log "$W/disk/log"
    head -c 1M /dev/zero >"$W/disk/rest" 2>/dev/null || true
    n=0
    while go >"$W/out.$n" 2>&1; do n=$((n + 1)); [ $n -lt 50 ]; done
    echo "last: $(tr -d "\r" <"$W/out.$n" | tail -n 1)"
    grep -c "\[hello\]" "$W/out.$n" && exit 1
    rm "$W/disk/rest"
    "$BIN/confirm-exec" --verify-log "$W/disk/log"
    go >"$W/again"
    "$BIN/confirm-exec" --verify-log "$W/disk/log"'
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q "nothing was run" <<<"$output"
  [ "$(grep -c ' entries, the last one ' <<<"$output")" -eq 3 ]
}
