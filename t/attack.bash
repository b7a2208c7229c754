# attack.bash - what the attacks on confirm-exec (t/077*.sh) share.  Each case prints one
# line of TAP; it holds where what happened is what had to happen, not only the exit code:
#   - what ran left its words in cwd/ran (t/helper-mark.c), and nothing else ran;
#   - no file outside of what the policy opens has changed;
#   - the log holds as a chain, and says that it ran only where it did.
umask 022
BIN=${BIN:-bin}
HELPERS=${HELPERS:-build/release/t}
SPEC=testdata/exec/mark.json
W=$(mktemp -d)
mkdir -m 755 "$W/bin" "$W/cwd" "$W/canary"
W=$(realpath "$W")
trap 'chmod -R u+w "$W" && rm -rf "$W"' EXIT
n=0 failed=0
export HOME=$W/canary
unset XDG_CONFIG_HOME XDG_STATE_HOME

bwrap --ro-bind / / --unshare-pid --unshare-net --dev /dev --proc /proc true 2>/dev/null &&
  BOX=() || BOX=(--no-sandbox)

# policy [FILTER]: the usual one, changed by jq.
policy() {
  rm -rf "${W:?}/policy.json"
  jq -n --arg path "$W/bin/mark" '{policy: 1, programs: [{name: "mark", path: $path}],
    settings: {writable: true, timeout: 60}} | '"${1:-.}" >"$W/policy.json"
}

# fresh: a program, policy and log as they ought to be.
fresh() {
  rm -rf "${W:?}/bin" "${W:?}/cwd" "${W:?}/canary" "${W:?}/log"
  mkdir -m 755 "$W/bin" "$W/cwd" "$W/canary" "$W/log"
  cp "$HELPERS/helper-mark" "$W/bin/mark"
  echo "do not touch" >"$W/canary/file"
  echo "the key" >"$W/canary/key"
  policy "${1:-.}"
  WANT=() LACK=() DENY=''
  before=$(canary)
}

canary() {
  find "$W/canary" "$W/bin" "$W/policy.json" -printf '%p %y %m %s %C@\n' | sort | sha256sum
}

# A record of these words.
words() {
  jq -nc '{proposal: ["mark", $ARGS.positional[]]}' --args -- "$@"
}

# confirm OPTION...: without a person; the record is on standard input.
confirm() {
  setsid -w "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" --cwd "$W/cwd" \
    --audit "$W/log/audit" "${BOX[@]}" "$@"
}

# person STEP... -- OPTION...: the same at a terminal.
person() {
  local steps=()
  while [ "$1" != -- ]; do
    steps+=("$1")
    shift
  done
  shift
  "$HELPERS/helper-pty" "${steps[@]}" -- "$BIN/confirm-exec" --spec "$SPEC" \
    --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/log/audit" "${BOX[@]}" "$@"
}

why() { problems+="# $*"$'\n'; }

# The log holds, and has as many started runs as there were ($1).
check_log() {
  local started=0
  if [ -e "$W/log/audit" ]; then
    "$BIN/confirm-exec" --verify-log "$W/log/audit" >"$W/verified" 2>&1 ||
      why "log: $(cat "$W/verified")"
    started=$(jq -s 'map(select(.started == true)) | length' "$W/log/audit")
    jq -se 'all(.[] | select(.event == "end"); .run as $r | any($all[]; .run == $r and
      (.decision == "approved" or .decision == "auto")))' --slurpfile all "$W/log/audit" \
      "$W/log/audit" >/dev/null || why "log: an end without a yes"
  fi
  [ "$started" -eq "$1" ] || why "log: $started runs, not $1"
}

# verdict NAME STATUS RAN: RAN is "none" or the words that must have run.
verdict() {
  local name=$1 wanted=$2 ran=$3 after problems='' text
  n=$((n + 1))
  [ "${asked:-}" ] || ! grep -qF 'Run this' "$W/out" || why "it asked"
  if [ "$ran" = none ]; then
    [ ! -e "$W/cwd/ran" ] || why "it ran: $(tr '\n' ' ' <"$W/cwd/ran")"
    ! grep -qF '<ran>' "$W/out" || why "it ran, and said so"
    check_log 0
  else
    cmp -s "$W/cwd/ran" "$W/expected" || why "what ran is not what was confirmed"
    check_log 1
  fi
  case " $wanted " in *" $status "*) ;; *) why "status $status, not $wanted" ;; esac
  for text in "${WANT[@]}"; do
    grep -qF -- "$text" "$W/out" || why "no '$text' in what it said"
  done
  for text in "${LACK[@]}"; do
    ! grep -qF -- "$text" "$W/out" || why "'$text' in what it said"
  done
  after=$(canary)
  [ "$before" = "$after" ] || why "files outside have changed"
  if [ -z "$problems" ]; then
    echo "ok $n - $name"
  else
    failed=$((failed + 1))
    echo "not ok $n - $name"
    printf '%s' "$problems"
    head -c 2000 "$W/out" | cat -v | cut -c 1-200 | sed 's/^/#   /'
  fi
}

# stopped NAME RECORD [STEP... -- [OPTION...]]: a person (with STEPs) or nobody; nothing runs.
stopped() {
  local name=$1 record=$2
  shift 2
  run_it "$record" "$@"
  verdict "$name" "${STATUS:-126}" none
}

# runs NAME RECORD ...: runs the words of the record, and nothing more.
runs() {
  local name=$1 record=$2
  shift 2
  printf '%s' "$record" | jq -r '.proposal[]' >"$W/expected"
  run_it "$record" "$@"
  sed -i "1s|.*|mark|" "$W/cwd/ran" 2>/dev/null
  verdict "$name" "${STATUS:-0}" words
}

run_it() {
  local record=$1
  shift
  asked=
  [[ " $* " != *" after "* ]] || asked=1
  rm -f "$W/cwd/ran" "$W/log"/*
  status=0
  if [[ " $* " == *" -- "* ]]; then
    printf '%s' "$record" | person "$@" >"$W/out" 2>&1 || status=$?
  else
    printf '%s' "$record" | confirm "$@" >"$W/out" 2>&1 || status=$?
  fi
}

# The usual yes.
# A word may hold the question's text: the question itself comes behind the digest.
YES=(after 'digest  ' after 'y/N] ' type 'y\n' --)
# Where no question may come: what is typed is no answer to anything.
NEVER=(type 'y\n' --)

finish() {
  echo "1..$n"
  [ "$failed" -eq 0 ]
}
