#!/usr/bin/env bats
# confirm-exec, driven by a person at a terminal (t/helper-pty.c).  The numbers are
# those of the rules in src/exec/run.c.

bats_require_minimum_version 1.5.0

setup() {
  umask 022
  BIN=${BIN:-bin}
  HELPERS=${HELPERS:-build/release/t}
  W=$BATS_TEST_TMPDIR
  mkdir -m 755 "$W/bin" "$W/cwd"
  cp "$HELPERS/helper-probe" "$W/bin/probe"
  SPEC=testdata/exec/probe.json
  jq -n --arg path "$W/bin/probe" '{policy: 1, programs: [{name: "probe", path: $path}],
    settings: {writable: true}}' >"$W/policy.json"
  if bwrap --ro-bind / / --unshare-pid --unshare-net --dev /dev --proc /proc true 2>"$W/bwrap"; then
    SANDBOX=()
  else
    SANDBOX=(--no-sandbox)
  fi
}

need_sandbox() {
  [ ${#SANDBOX[@]} -eq 0 ] || skip "bubblewrap does not work here: $(head -1 "$W/bwrap")"
}

# confirm RECORD [OPTION]...: without a terminal.
confirm() {
  local record=$1
  shift
  printf '%s' "$record" | setsid -w "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" \
    --cwd "$W/cwd" --audit "$W/audit.jsonl" "${SANDBOX[@]}" "$@"
}

# person RECORD STEP... -- [OPTION]...: at a terminal.
person() {
  local record=$1 steps=()
  shift
  while [ "$1" != -- ]; do
    steps+=("$1")
    shift
  done
  shift
  printf '%s' "$record" | "$HELPERS/helper-pty" "${steps[@]}" -- "$BIN/confirm-exec" \
    --spec "$SPEC" --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/audit.jsonl" "${SANDBOX[@]}" "$@"
}

# yes RECORD [OPTION]...: the person types y, then return.
yes_to() {
  local record=$1
  shift
  person "$record" after 'y/N] ' type 'y\n' -- "$@"
}

has() {
  grep -qF -- "$1" <<<"$output" || {
    printf 'no "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

lacks() {
  ! grep -qF -- "$1" <<<"$output" || {
    printf 'found "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

ARGS='{"proposal":["probe","args","hello"]}'

@test "help, version, misuse" {
  run "$BIN/confirm-exec" --help
  [ "$status" -eq 0 ]
  has "Exit status"
  run "$BIN/confirm-exec" --version
  [ "$status" -eq 0 ]
  has "confirm-exec "
  run "$BIN/confirm-exec" --nonsense
  [ "$status" -eq 64 ]
  run "$BIN/confirm-exec" operand
  [ "$status" -eq 64 ]
  run "$BIN/confirm-exec" --timeout 0
  [ "$status" -eq 64 ]
  run "$BIN/confirm-exec" --inside-sandbox 0
  [ "$status" -eq 64 ]
}

@test "yes runs the command" {
  run yes_to "$ARGS" --
  [ "$status" -eq 0 ]
  has "[hello]"
  run person "$ARGS" after 'y/N] ' type ' YES \n' --
  [ "$status" -eq 0 ]
  has "[hello]"
}

@test "rule 3: no, nothing, and other answers do not" {
  for answer in 'n\n' '\n' 'yy\n' 'no\n' 'yes please\n' 'ye\n' 'Y\x01\n' '\x04' '\x03' '\xff\n'; do
    run person "$ARGS" after 'y/N] ' type "$answer" --
    [ "$status" -eq 126 ]
    lacks "[hello]"
    has "nothing was run"
  done
}

@test "rule 3: what was typed ahead is no answer" {
  run person "$ARGS" type 'y\n' after 'y/N] ' type 'n\n' --
  [ "$status" -eq 126 ]
  lacks "[hello]"
  run person "$ARGS" raw type 'y\n' after 'y/N] ' type '\n' --
  [ "$status" -eq 126 ]
  lacks "[hello]"
}

@test "rule 3: a terminal left in raw mode still takes a line" {
  run person "$ARGS" raw after 'y/N] ' type 'y\n' --
  [ "$status" -eq 0 ]
  has "[hello]"
}

@test "rule 3: no terminal, no run" {
  run confirm "$ARGS"
  [ "$status" -eq 126 ]
  lacks "[hello]"
  has "no terminal"
}

@test "rule 3: yes(1) on standard input is no answer" {
  both() {
    (printf '%s\n' "$ARGS" && yes) | "$HELPERS/helper-pty" -- "$BIN/confirm-exec" \
      --spec "$SPEC" --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/audit.jsonl" "${SANDBOX[@]}"
  }
  run both
  [ "$status" -eq 126 ]
  lacks "[hello]"
}

@test "rule 3: a danger wants yes in full" {
  wipe='{"proposal":["probe","wipe","--everything"]}'
  run person "$wipe" after 'yes/N] ' type 'y\n' --
  [ "$status" -eq 126 ]
  has "! danger     wipe: deletes data"
  has "! danger     --everything: cannot be undone"
  run person "$wipe" after 'yes/N] ' type 'yes\n' --
  [ "$status" -eq 0 ]
  has "[--everything]"
}

@test "rule 1: verified again, whatever the record claims" {
  for words in '["probe","explode"]' '["probe","args","--nmae","x"]' '["other","args"]' '[]' \
    '["probe"]' '["probe","status"]' '["probe","status","x"]' '["./probe","args"]'; do
    run yes_to_nothing "$words"
    [ "$status" -eq 126 ]
    lacks "Run this"
  done
}

yes_to_nothing() {
  person "{\"proposal\":$1,\"verdict\":{\"ok\":true,\"code\":\"ok\"}}" --
}

@test "rule 1: refusals are in the log" {
  run confirm '{"proposal":["probe","explode"]}'
  [ "$status" -eq 126 ]
  rm "$W/bin/probe"
  run -127 confirm "$ARGS"
  run jq -c '[.number, .decision, .argv, (.reason | length > 10)]' "$W/audit.jsonl"
  [ "${lines[0]}" = '[1,"refused",["probe","explode"],true]' ]
  [ "${lines[1]}" = '[2,"refused",["probe","args","hello"],true]' ]
}

@test "rule 1: only canonical form" {
  run yes_to_nothing '["probe","args","--name=x"]'
  [ "$status" -eq 126 ]
  has "canonical"
}

@test "rule 1: words that are no text, fields of other types, no field" {
  for record in '{"proposal":["probe","args","a\u0000b"]}' '{"proposal":["probe","args","a\u001bb"]}' \
    '{"proposal":["probe","args","a\u009bb"]}' '{"proposal":"probe args"}' '{"proposal":["probe",1]}' \
    '{"text":"probe args"}' '{"proposal":["probe","args"],"proposal":["probe","wipe"]}' '["probe","args"]' \
    'probe args' '{"proposal":["probe","args","x"]'; do
    run person "$record" --
    [ "$status" -eq 126 ]
    lacks "Run this"
  done
  run person "$(printf '{"proposal":["probe","args","a\xff"]}')" --
  [ "$status" -eq 126 ]
}

@test "rule 1: a proposal beats the expected argv of the record" {
  run yes_to '{"argv":["probe","wipe"],"proposal":["probe","args","hello"]}' --
  [ "$status" -eq 0 ]
  has "[hello]"
  run yes_to '{"argv":["probe","args","hello"]}' --
  [ "$status" -eq 0 ]
  has "[hello]"
}

@test "a refusal of the model is passed on" {
  run person '{"proposal":null,"reason":"low \u001bconfidence"}' --
  [ "$status" -eq 126 ]
  has 'low \u{1b}confidence'
  lacks "Run this"
}

@test "rule 2: two records are refused, both" {
  run person "$ARGS"$'\n'"$ARGS" --
  [ "$status" -eq 126 ]
  has "more than one"
  lacks "Run this"
}

@test "rule 2: nothing, and a truncated stream, are refused" {
  run person '' --
  [ "$status" -eq 126 ]
  lacks "Run this"
  printf '%s\n' "$ARGS" | zstd -q >"$W/whole.zst"
  head -c -5 "$W/whole.zst" >"$W/part.zst"
  stream() {
    "$HELPERS/helper-pty" "${@:2}" -- "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" \
      --cwd "$W/cwd" --audit "$W/audit.jsonl" "${SANDBOX[@]}" <"$1"
  }
  run stream "$W/part.zst"
  [ "$status" -eq 126 ]
  lacks "Run this"
  run stream "$W/whole.zst" after 'y/N] ' type 'y\n'
  [ "$status" -eq 0 ]
  has "[hello]"
}

@test "rule 4: shell metacharacters are words" {
  run yes_to '{"proposal":["probe","args","--name","$(id); rm -rf * | cat > x `id` && y","a  b"]}' --
  [ "$status" -eq 0 ]
  has '[$(id); rm -rf * | cat > x `id` && y]'
  has '[a  b]'
  [ -z "$(ls "$W/cwd")" ]
}

@test "rule 4: one place in the sources executes (but for help2spec, which is no part of this)" {
  run grep -rnE --exclude-dir=help '\b(execv|execve|execvp|execvpe|execl|execlp|execle|fexecve|execveat|system|popen|posix_spawnp?)[[:space:]]*\(' src kernels
  [ "${#lines[@]}" -eq 1 ]
  [[ ${lines[0]} == src/exec/child.c:*execveat* ]]
}

@test "rule 5: neither PATH nor the working directory is searched" {
  mkdir "$W/evil"
  printf '#!/bin/sh\necho evil\n' >"$W/evil/probe"
  chmod 755 "$W/evil/probe"
  cp "$W/evil/probe" "$W/cwd/probe"
  PATH=$W/evil:$PATH run yes_to "$ARGS" --
  [ "$status" -eq 0 ]
  has "[hello]"
  lacks evil
  rm "$W/bin/probe"
  PATH=$W/evil:$PATH run -127 confirm "$ARGS"
  has "$W/bin/probe"
}

@test "rule 5: what others can write is refused" {
  chmod o+w "$W/bin"
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 126 ]
  has "can be written by everyone"
  chmod o-w "$W/bin"
  chmod o+w "$W/bin/probe"
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 126 ]
  mv "$W/bin/probe" "$W/cwd/real"
  ln -s ../cwd/real "$W/bin/probe"
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 126 ]
  chmod o-w "$W/cwd/real"
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 0 ]
  has "$W/cwd/real"
  cp "$SPEC" "$W/spec.json"
  chmod o+w "$W/spec.json"
  SPEC=$W/spec.json run confirm "$ARGS" --dry-run
  [ "$status" -eq 126 ]
}

@test "rules 6 and 7: an executable that changes after the question is not run" {
  printf '#!/bin/sh\necho evil\n' >"$W/evil"
  chmod 755 "$W/evil"
  for how in "mv $W/evil $W/bin/probe" "printf x >>$W/bin/probe" "rm $W/bin/probe" \
    "cp $W/bin/probe $W/copy; mv $W/copy $W/bin/probe"; do
    cp "$HELPERS/helper-probe" "$W/bin/probe"
    run person "$ARGS" after 'y/N] ' do "$how" type 'y\n' --
    [ "$status" -eq 126 ]
    lacks "[hello]"
    lacks evil
    [ "$(jq -r 'select(.event == "end") | .started' "$W/audit.jsonl" | tail -1)" = false ]
  done
}

@test "rule 7: so are an interpreter and a directory that change" {
  cp "$W/bin/probe" "$W/bin/interpreter"
  printf '#!%s\n' "$W/bin/interpreter" >"$W/bin/probe"
  run person "$ARGS" after 'y/N] ' do "printf x >>$W/bin/interpreter" type 'y\n' --
  [ "$status" -eq 126 ]
  run person "$ARGS" after 'y/N] ' do "mv $W/cwd $W/old; mkdir $W/cwd" type 'y\n' --
  [ "$status" -eq 126 ]
  has "was replaced"
}

@test "scripts run by their interpreter, with its argument" {
  printf '#!/bin/sh -e\necho "script in $(pwd)"; for word; do echo "<$word>"; done\nfalse\necho late\n' \
    >"$W/bin/probe"
  for sandbox in "${SANDBOX[0]:---timeout=600}" --no-sandbox; do
    run yes_to '{"proposal":["probe","args","a b","$x"]}' "$sandbox"
    [ "$status" -eq 1 ]
    has "script in $W/cwd"
    has "<a b>"
    has '<$x>'
    lacks late
  done
  printf '#!probe\n' >"$W/bin/probe"
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 126 ]
  printf '#!/nowhere/at/all\n' >"$W/bin/probe"
  run -127 confirm "$ARGS" --dry-run
}

@test "rule 8: all that is shown is plain, and nothing looks alike" {
  mkdir "$W/cwd/"$'\e[2Kdir'
  SPECIAL='{"proposal":["probe","args","--name","a\u202eb\u200bc","caf\u00e9 \"\\"],"request":"\u001b]52;c;x\u0007 \u009b2J \ud83d\ude00"}'
  run person "$SPECIAL" after 'y/N] ' type 'n\n' -- --cwd "$W/cwd/"$'\e[2Kdir'
  [ "$status" -eq 126 ]
  has "\$'a\\u202eb\\u200bc'"
  has "\$'caf\\u00e9 \"\\\\'"
  has '\u{1b}]52;c;x\u{7} \u{9b}2J \u{1f600}'
  has '\u{1b}[2Kdir'
  has "! warning    word 3 has characters that change the direction of text, invisible characters"
  has "! warning    word 4 has characters beyond ASCII"
  ! LC_ALL=C grep -q '[^ -~]' <<<"$(tr -d '\r' <<<"$output")"
}

@test "rule 8: long words are shown whole, too long commands refused" {
  long=$(printf 'x%.0s' {1..5000})
  run person "{\"proposal\":[\"probe\",\"args\",\"$long\"]}" after 'y/N] ' type 'n\n' --
  has "  $long"
  many=$(printf ',"word"%.0s' {1..600})
  run person "{\"proposal\":[\"probe\",\"args\"$many]}" --
  [ "$status" -eq 126 ]
  has "too long for a person"
}

@test "rule 9: the environment is a list of names" {
  export SECRET=1 AWS_PROFILE=x PGPASSWORD=x SSH_AUTH_SOCK=x PYTHONPATH=/x BASH_ENV=/x NODE_OPTIONS=x \
    LD_BIND_NOW=1 PAGER=x GIT_DIR=x DOCKER_HOST=x WANTED=here LANG=C.UTF-8 TERM=xterm USER=someone
  run yes_to '{"proposal":["probe","env"]}' --pass-env WANTED --pass-env ABSENT
  [ "$status" -eq 0 ]
  names=$(sed -n '/y.N\] y/,$p' <<<"$output" | tr -d '\r' | sed -n 's/^\([A-Za-z_]*\)=.*/\1/p' | sort | xargs)
  [ "$names" = "HOME LANG PATH TERM USER WANTED" ]
  has "PATH=$W/bin:/usr/local/bin:/usr/bin:/bin"
  has "environment  PATH HOME LANG TERM USER WANTED"
  for name in LD_PRELOAD PATH 1x 'a=b' ''; do
    run confirm "$ARGS" --pass-env "$name"
    [ "$status" -eq 64 ]
  done
}

@test "rule 10: descriptors 0, 1 and 2 and no other" {
  for sandbox in "${SANDBOX[0]:---timeout=600}" --no-sandbox; do
    run yes_to '{"proposal":["probe","fds"]}' "$sandbox" 7<"$SPEC" 9>"$W/nine"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^fd ' <<<"$output")" -eq 3 ]
  done
}

@test "rule 11: no terminal, no typing into ours, no new privileges, defaults restored" {
  for sandbox in "${SANDBOX[0]:---timeout=600}" --no-sandbox; do
    run yes_to '{"proposal":["probe","inside"]}' "$sandbox"
    [ "$status" -eq 0 ]
    for line in "stdin 0" "tty none" "push refused" "privileges fixed" "core 0" "umask 022" "sigpipe default"; do
      has "$line"
    done
  done
}

# The plant of helper-probe's tree is gone, or goes soon: its lock is free.
is_dead() {
  [ -e "$W/cwd/alive" ]
  flock -w 20 "$W/cwd/alive" true
}

@test "rule 12: what the command leaves behind ends with it" {
  for sandbox in "${SANDBOX[0]:---timeout=600}" --no-sandbox; do
    rm -f "$W/cwd/alive"
    run yes_to '{"proposal":["probe","tree"]}' "$sandbox"
    [ "$status" -eq 0 ]
    has planted
    is_dead
  done
}

@test "rule 12: the time limit ends the whole tree" {
  for sandbox in "${SANDBOX[0]:---timeout=1}" --no-sandbox; do
    for limit in 1 5 20; do # the first may be over before the tree stands
      rm -f "$W/cwd/alive"
      run yes_to '{"proposal":["probe","tree","--stay"]}' "$sandbox" --timeout $limit
      [ "$status" -eq 124 ]
      ! grep -q planted <<<"$output" || break
    done
    has planted
    is_dead
    [ "$(jq -r 'select(.event == "end") | .timed_out' "$W/audit.jsonl" | tail -1)" = true ]
  done
}

@test "rule 12: the tree dies with us" {
  printf '%s' '{"proposal":["probe","tree","--stay"]}' >"$W/record"
  killed() {
    "$HELPERS/helper-pty" after 'y/N] ' type 'y\n' after planted do "kill -9 \$(cat $W/pid)" -- \
      sh -c "echo \$\$ >$W/pid; exec \"\$@\"" sh "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" \
      --cwd "$W/cwd" --audit "$W/audit.jsonl" "${SANDBOX[@]}" <"$W/record"
  }
  need_sandbox
  run killed
  [ "$status" -eq 137 ]
  is_dead
}

@test "control-C reaches the command, which may end as it likes" {
  for sandbox in "${SANDBOX[0]:---timeout=600}" --no-sandbox; do
    run person '{"proposal":["probe","interrupts"]}' after 'y/N] ' type 'y\n' after waiting type '\x03' -- "$sandbox"
    [ "$status" -eq 7 ]
    has interrupted
  done
}

@test "rule 13: the sandbox holds" {
  need_sandbox
  run yes_to '{"proposal":["probe","write","inside.txt"]}' --
  [ "$status" -eq 0 ]
  [ -e "$W/cwd/inside.txt" ]
  run yes_to "{\"proposal\":[\"probe\",\"write\",\"/usr/outside.txt\"]}" --
  [ "$status" -eq 1 ]
  [ ! -e /usr/outside.txt ]
  run yes_to "{\"proposal\":[\"probe\",\"write\",\"$W/elsewhere.txt\"]}" --
  [ ! -e "$W/elsewhere.txt" ]
  mkdir "$W/open"
  run yes_to "{\"proposal\":[\"probe\",\"write\",\"$W/open/x\"]}" --share-write "$W/open"
  [ "$status" -eq 0 ]
  has "may write  \"$W/open\""
  [ -e "$W/open/x" ]
}

@test "rule 13: keys in the home directory are not seen" {
  need_sandbox
  mkdir "$W/cwd/.ssh"
  echo "the key" >"$W/cwd/.ssh/id"
  printf '#!/bin/sh\ncat .ssh/id; touch .ssh/new; exit 0\n' >"$W/bin/probe"
  export HOME=$W/cwd
  run yes_to "$ARGS" --
  [ "$status" -eq 0 ]
  has "sees empty \"$W/cwd/.ssh\""
  lacks "the key"
  [ ! -e "$W/cwd/.ssh/new" ]
  run yes_to "$ARGS" --share-read "$W/cwd/.ssh"
  has "the key"
  [ ! -e "$W/cwd/.ssh/new" ]
}

@test "rule 13: a working directory within what is only shown can be written" {
  need_sandbox
  run yes_to '{"proposal":["probe","write","inside.txt"]}' --share-read "$W"
  [ "$status" -eq 0 ]
  [ -e "$W/cwd/inside.txt" ]
}

@test "rule 13: no network unless it is stated" {
  need_sandbox
  run yes_to '{"proposal":["probe","inside"]}' --
  has "interfaces one"
  has "no network"
  [ "$(grep -c : /proc/net/dev)" -gt 1 ] || skip "this machine has no network itself"
  run yes_to '{"proposal":["probe","inside"]}' --share-net
  has "interfaces many"
  has "shares the NETWORK"
  run yes_to '{"proposal":["probe","net"]}' --
  has "interfaces one"
  has "needs the network, which the policy does not open"
  jq '.rules = [{command: "probe net", decide: "ask", settings: {network: true}}]' "$W/policy.json" >"$W/net.json"
  run yes_to '{"proposal":["probe","net"]}' --policy "$W/net.json"
  has "interfaces many"
  has "shares the NETWORK"
  run yes_to '{"proposal":["probe","inside"]}' --policy "$W/net.json"
  has "interfaces one"
}

@test "rule 13: without bubblewrap it is refused, or --no-sandbox" {
  need_sandbox
  hidden() {
    printf '%s' "$ARGS" | bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap -- "$BIN/confirm-exec" \
      --spec "$SPEC" --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/audit.jsonl" --dry-run "$@"
  }
  run hidden
  [ "$status" -eq 126 ]
  has "bubblewrap"
  has "--no-sandbox"
  run hidden --no-sandbox
  [ "$status" -eq 0 ]
  has "sandbox      none"
  run confirm "$ARGS" --cwd / --dry-run
  [ "$status" -eq 126 ]
}

@test "rule 14: the log is a chain of what was decided" {
  run yes_to '{"proposal":["probe","status","3"]}' --
  run person "$ARGS" after 'y/N] ' type 'n\n' --
  run confirm "$ARGS"
  run jq -rc '[.number, .event, .decision, .argv, .status, .started]' "$W/audit.jsonl"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = '[1,"decision","approved",["probe","status","3"],null,null]' ]
  [ "${lines[1]}" = '[2,"end",null,null,3,true]' ]
  [ "${lines[2]}" = '[3,"decision","declined",["probe","args","hello"],null,null]' ]
  [ "${lines[3]}" = '[4,"decision","no terminal",["probe","args","hello"],null,null]' ]
  [ "$(sed -n 3p "$W/audit.jsonl" | jq -r .previous)" = \
    "$(sed -n 2p "$W/audit.jsonl" | tr -d '\n' | sha256sum | cut -d' ' -f1)" ]
  [ "$(stat -c %a "$W/audit.jsonl")" = 600 ]
  run "$BIN/confirm-exec" --verify-log "$W/audit.jsonl"
  [ "$status" -eq 0 ]
  has "4 entries"
  has "$(tail -1 "$W/audit.jsonl" | tr -d '\n' | sha256sum | cut -d' ' -f1)"
}

@test "rule 14: many at once keep one chain" {
  for i in 1 2 3 4 5 6 7 8; do
    confirm "$ARGS" --no-sandbox 2>"$W/error.$i" &
  done
  wait
  run "$BIN/confirm-exec" --verify-log "$W/audit.jsonl"
  [ "$status" -eq 0 ]
  has "8 entries"
}

@test "rule 14: tampering with the log is found" {
  for i in 1 2; do run yes_to '{"proposal":["probe","status","3"]}' --; done
  for how in 's/"3"/"4"/' 2d '1{h;d};2{G}' '$s/.$//' 1d '2s/$/ /' '3{p}'; do
    sed "$how" "$W/audit.jsonl" >"$W/tampered"
    run "$BIN/confirm-exec" --verify-log "$W/tampered"
    [ "$status" -eq 65 ]
    has "$W/tampered:"
  done
  head -c -1 "$W/audit.jsonl" >"$W/tampered"
  run "$BIN/confirm-exec" --verify-log "$W/tampered"
  [ "$status" -eq 65 ]
  run "$BIN/confirm-exec" --verify-log "$W/absent"
  [ "$status" -eq 66 ]
}

@test "rule 14: no log, no run" {
  touch "$W/file"
  head -c 100 /dev/zero | tr '\0' x >"$W/unfinished"
  chmod 600 "$W/unfinished"
  touch "$W/shared"
  chmod 666 "$W/shared"
  for log in /dev/full "$W/file/audit.jsonl" "$W/cwd" "$W/unfinished" "$W/shared"; do
    run confirm "$ARGS" --audit "$log"
    [ "$status" -eq 125 ]
    lacks "[hello]"
  done
  full() (
    ulimit -f 0
    yes_to "$ARGS" --no-sandbox
  )
  run full
  [ "$status" -eq 125 ]
  has "nothing was run"
  lacks "[hello]"
}

@test "rule 14: the command cannot write to the log" {
  need_sandbox
  mkdir "$W/cwd/log"
  run yes_to '{"proposal":["probe","write","log/audit.jsonl"]}' --audit "$W/cwd/log/audit.jsonl"
  [ "$status" -eq 1 ]
  has "Read-only file system"
  run "$BIN/confirm-exec" --verify-log "$W/cwd/log/audit.jsonl"
  [ "$status" -eq 0 ]
}

@test "the exit status is the command's" {
  for n in 0 1 5 64 126 255; do
    run yes_to "{\"proposal\":[\"probe\",\"status\",\"$n\"]}" --
    [ "$status" -eq "$n" ]
  done
  run yes_to '{"proposal":["probe","signal","15"]}' --
  [ "$status" -eq 143 ]
  run yes_to '{"proposal":["probe","signal","9"]}' --no-sandbox
  [ "$status" -eq 137 ]
}

@test "a file that cannot be executed is said so" {
  printf 'no program' >"$W/bin/probe"
  run yes_to "$ARGS" --
  [ "$status" -eq 126 ]
  has "cannot execute"
}

@test "a dry run decides the same and asks nothing" {
  run confirm "$ARGS" --dry-run
  [ "$status" -eq 0 ]
  has '  2   hello'
  lacks "Run this"
  [ ! -e "$W/audit.jsonl" ]
  run confirm '{"proposal":["probe","explode"]}' --dry-run
  [ "$status" -eq 126 ]
}

@test "the grammar: beside the programs, or named" {
  mkdir -p "$W/tree/bin" "$W/tree/seeds/probe"
  cp "$BIN/confirm-exec" "$W/tree/bin"
  cp "$SPEC" "$W/tree/seeds/probe/cli.json"
  found() {
    printf '%s' "$1" | "$W/tree/bin/confirm-exec" --policy "$W/policy.json" --no-sandbox --dry-run
  }
  run found '{"cli":"probe","proposal":["probe","args"]}'
  [ "$status" -eq 0 ]
  has "$W/tree/seeds/probe/cli.json"
  for cli in absent ../seeds/probe /probe '' .; do
    run found "{\"cli\":\"$cli\",\"proposal\":[\"probe\",\"args\"]}"
    [ "$status" -eq 126 ]
  done
  SPEC=$W/absent run confirm "$ARGS"
  [ "$status" -eq 125 ]
  printf '{' >"$W/bad.json"
  SPEC=$W/bad.json run confirm "$ARGS"
  [ "$status" -eq 125 ]
}

# hidden_value TEXT: what stands for it in a log.
hidden_value() {
  printf 'sha256:%s' "$(printf %s "$1" | sha256sum | cut -d' ' -f1)"
}

# A grammar whose command args takes a secret, and one without.
secret_spec() {
  jq '(.commands[] | select(.name == "args").options) += [
      {name: "--api-key", aliases: ["-k"], arguments: [{name: "key", required: true, metadata: [
        {name: "pattern", value: "lsv2_[a-z0-9]+"}]}], metadata: [{name: "secret", value: true}]},
      {name: "--api", arguments: [{name: "api", required: true}]}]' testdata/exec/probe.json >"$W/cli.json"
  SPEC=$W/cli.json
}

@test "a secret value is on the terminal, and its hash in the log" {
  secret_spec
  run yes_to '{"proposal":["probe","args","--api-key","lsv2_abcdef123456","--api","v1","hello"]}'
  [ "$status" -eq 0 ]
  has '  lsv2_abcdef123456'
  run jq -rc 'select(.event == "decision").argv' "$W/audit.jsonl"
  [ "$output" = '["probe","args","--api-key","'"$(hidden_value lsv2_abcdef123456)"'","--api","v1","hello"]' ]
  run cat "$W/audit.jsonl"
  lacks lsv2_abcdef123456
  run confirm '{"request":"use key lsv2_abcdef123456","proposal":["probe","args","--api-key","lsv2_abcdef123456"]}' --dry-run
  [ "$status" -eq 0 ]
  lacks lsv2_abcdef123456
  has "use key $(hidden_value lsv2_abcdef123456)"
}

@test "a refused command keeps its secrets too, however they are spelled" {
  secret_spec
  for words in '"--api-key","NOT_lsv2_abcdef123456"' '"--api-key=NOT_lsv2_abcdef123456"' \
    '"--api-k","NOT_lsv2_abcdef123456"' '"--apikey","NOT_lsv2_abcdef123456"' '"--API_KEY=NOT_lsv2_abcdef123456"' \
    '"-k","NOT_lsv2_abcdef123456"' '"-kNOT_lsv2_abcdef123456"' '"-xkNOT_lsv2_abcdef123456"' \
    '"--bad","--api-key","NOT_lsv2_abcdef123456"'; do
    run confirm '{"proposal":["probe","args",'"$words"']}'
    [ "$status" -eq 126 ]
    lacks abcdef123456
  done
  [ "$(jq -s 'length' "$W/audit.jsonl")" -eq 9 ]
  [ "$(grep -c "$(hidden_value NOT_lsv2_abcdef123456)" "$W/audit.jsonl")" -eq 9 ]
  run cat "$W/audit.jsonl"
  lacks abcdef123456
  rm "$W"/audit.jsonl*
  run confirm '{"proposal":["probe","args","--api","v1","--nonsense"]}' # its name is the beginning of the secret one
  [ "$(jq -c .argv "$W/audit.jsonl")" = '["probe","args","--api","v1","--nonsense"]' ]
}

@test "the langgraph grammar: what is secret, and what needs the network" {
  jq -e '[.. | objects | select(.name == "--api-key" or .name == "--postgres-uri")]
    | length == 7 and all(any(.metadata[]; .name == "secret" and .value))' seeds/langgraph/cli.json
  [ "$(jq -r '.commands[] | select(any(.metadata[]; .name == "network" and .value)).name' \
    seeds/langgraph/cli.json | sort | tr '\n' ' ')" = "build deploy dev new up " ]
}
