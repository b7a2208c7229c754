#!/usr/bin/env bats
# Every system call that a filter makes fails once: the message, the exit code,
# and no file that looks whole.

setup() {
  copy=${HELPERS:-build/release/t}/helper-copy
  faults=$PWD/build/release/t/faults.so
  in=$BATS_TEST_TMPDIR/in.zst
  dir=$BATS_TEST_TMPDIR/dir
  # Noise that does not compress: several blocks both ways.
  jq -nc '[range(6000)] | map(. * 7919 % 104729 * 104723 % 1299709)[] | {id: ., pad: tojson}' |
    zstd -q >"$in"
}

# every CALL ERROR: the n-th CALL fails, for every n there is.
every() {
  local n=1
  while :; do
    rm -rf "$dir"
    mkdir "$dir"
    run env LD_PRELOAD="$faults" FAULT="$1:$n:$2" "$copy" -o "$dir/out" "$in"
    [ "$status" -ne 0 ] || break
    [ "$status" -eq 74 ]
    [[ $output == helper-copy:*:\ * ]]
    [ "$(wc -l <<<"$output")" -eq 1 ]
    # The directory's own fsync comes when the file is there, and whole.
    [ -z "$(ls -A "$dir")" ] || { [ "$1" = fsync ] && cmp <(zstdcat "$dir/out") <(zstdcat "$in"); }
    n=$((n + 1))
  done
  [ "$n" -gt 1 ]
  cmp <(zstdcat "$dir/out") <(zstdcat "$in")
}

@test "read fails" { every read EIO; }
@test "write fails" { every write ENOSPC; }
@test "fsync fails" { every fsync EIO; }
@test "rename fails" { every rename EIO; }
@test "close fails" { every close EDQUOT; }

@test "an old file stays when its successor fails" {
  mkdir "$dir"
  for fault in write:2:ENOSPC fsync:1:EIO rename:1:EIO close:1:EDQUOT; do
    echo old >"$dir/out"
    run env LD_PRELOAD="$faults" FAULT="$fault" "$copy" -o "$dir/out" "$in"
    [ "$status" -eq 74 ]
    [ "$(cat "$dir/out")" = old ]
    [ "$(ls -A "$dir")" = out ]
  done
}

@test "write to standard output fails: exit 74 and a broken frame" {
  for n in 1 2 3; do
    rc=0
    LD_PRELOAD="$faults" FAULT=write:$n:ENOSPC "$copy" "$in" >"$BATS_TEST_TMPDIR/out" || rc=$?
    [ "$rc" -eq 74 ]
    run zstd -qt "$BATS_TEST_TMPDIR/out"
    [ "$status" -ne 0 ]
  done
}

@test "a pipe that closes at any write ends the filter quietly" {
  for n in 1 2 3; do
    run env LD_PRELOAD="$faults" FAULT=write:$n:EPIPE "$copy" --plain "$in"
    [ "$status" -eq 0 ]
    [[ $output != *helper-copy:* ]]
  done
}

@test "the file of bad lines fails: exit 74" {
  echo 'bad' >"$BATS_TEST_TMPDIR/bad"
  mkdir "$dir"
  for n in 1 2; do
    run env LD_PRELOAD="$faults" FAULT=fsync:$n:EIO \
      "$copy" --skip-bad "$dir/skipped" "$BATS_TEST_TMPDIR/bad"
    [ "$status" -eq 74 ]
  done
}

@test "short and interrupted reads and writes lose nothing" {
  LD_PRELOAD="$faults" FAULT=short "$copy" "$in" >"$BATS_TEST_TMPDIR/out"
  cmp <(zstdcat "$BATS_TEST_TMPDIR/out") <(zstdcat "$in")
  LD_PRELOAD="$faults" FAULT=short "$copy" --plain "$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/text"
  cmp "$BATS_TEST_TMPDIR/text" <(zstdcat "$in")
}
