#!/bin/bash
# Attacks by and through what runs: its environment, the sandbox from within, the kernel, the
# terminal, floods, bombs, processes that stay, signals at each stage.
cd "$(dirname "$0")/.." || exit 1
. t/attack.bash
ASK='Run this command?'
AUTO='.rules = [{command: "mark *", decide: "auto"}, {command: "*", option: "*", decide: "auto"},
  {command: "*", argument: "*", decide: "auto"}] | .settings.output_mib = 1'
good=$(words args hello)

# auto NAME RECORD [OPTION...]: runs without a question, and nobody is there.
auto() { runs "$1" "$2" --allow-auto "${@:3}"; }

# Variables that make shells, loaders, interpreters and tools do things.
fresh "$AUTO"
while read -r name value; do
  LACK=("env $name=")
  export "$name=$value"
  auto "environment: $name" "$(words show)"
  unset "$name"
done <<'VARIABLES'
LD_PRELOAD /evil.so
LD_LIBRARY_PATH /evil
LD_AUDIT /evil.so
LD_DEBUG_OUTPUT /evil
GLIBC_TUNABLES glibc.malloc.evil=1
MALLOC_TRACE /evil
GCONV_PATH /evil
LOCPATH /evil
NLSPATH /evil
BASH_ENV /evil
ENV /evil
PROMPT_COMMAND evil
PS4 $(evil)
CDPATH /evil
PYTHONPATH /evil
PYTHONHOME /evil
PYTHONSTARTUP /evil
PYTHONINSPECT evil
PERL5LIB /evil
PERL5OPT -Mevil
RUBYOPT -revil
RUBYLIB /evil
NODE_OPTIONS --require=/evil
NODE_PATH /evil
JAVA_TOOL_OPTIONS -javaagent:evil
LUA_INIT evil
GIT_DIR /evil
GIT_SSH_COMMAND evil
GIT_EXTERNAL_DIFF evil
GIT_CONFIG_GLOBAL /evil
GIT_PROXY_COMMAND evil
EDITOR evil
PAGER evil
LESSOPEN |evil
BROWSER evil
SSH_AUTH_SOCK /evil
SSH_ASKPASS /evil
DOCKER_HOST tcp://evil
KUBECONFIG /evil
AWS_SECRET_ACCESS_KEY evil
HTTP_PROXY http://evil
SSL_CERT_FILE /evil
TMPDIR /evil
TERMINFO /evil
XDG_CONFIG_HOME_EVIL /evil
DISPLAY evil:0
DBUS_SESSION_BUS_ADDRESS unix:path=/evil
VARIABLES
LACK=()
WANT=("env PATH=$W/bin:/usr/local/bin:/usr/bin:/bin")
PATH=$W/cwd:$PATH auto "environment: PATH is fixed" "$(words show)"
WANT=()
for name in PATH IFS ENV BASH_ENV LD_PRELOAD PYTHONPATH GIT_DIR PERL5OPT NODE_OPTIONS EDITOR '' 'a=b' 1x 'BASH_FUNC_x%%' $'a\nb'; do
  STATUS=64 stopped "--pass-env '${name//$'\n'/ }'" "$good" "${NEVER[@]}" --pass-env "$name"
done
STATUS=64
fresh "$AUTO | .settings.environment = [\"HOME\", \"LD_PRELOAD\"]"
stopped "a policy that passes LD_PRELOAD on" "$good" "${NEVER[@]}"
STATUS=

# Standard input and descriptors.
fresh "$AUTO"
WANT=('input ') LACK=('secret' 'fd ')
run_secret() { runs "$1" "$(words show)"$'\n\n\n' --allow-auto; }
run_secret "nothing behind the record is read by the command"
echo "the input" >"$W/cwd/input"
WANT=('input the input')
auto "--stdin FILE" "$(words show)" --stdin "$W/cwd/input"
WANT=()
exec 7<"$W/canary/key" 9>>"$W/canary/file"
auto "no descriptor of ours" "$(words show)"
exec 7<&- 9>&-
STATUS=64
stopped "--stdin of a pipe" "$good" "${NEVER[@]}" --stdin /dev/fd/0
stopped "--stdin of a device" "$good" "${NEVER[@]}" --stdin /dev/zero
STATUS=
changed_input() {
  fresh
  rm -f "$W/cwd/ran"
  echo "the input" >"$W/cwd/input"
  status=0 asked=1
  printf '%s' "$good" | person after "$ASK" do "echo more >>$W/cwd/input" type 'y\n' -- \
    --stdin "$W/cwd/input" >"$W/out" 2>&1 || status=$?
  verdict "an input that changes while it asks" 126 none
}
changed_input

# auto, and what it may not do.
fresh "$AUTO"
STATUS=126
stopped "auto without --allow-auto, and nobody there" "$good"
stopped "auto never runs a danger: the command" "$(words wipe)" --allow-auto
stopped "auto never runs a danger: an option" "$(words args --force)" --allow-auto
fresh
stopped "--allow-auto where the policy says ask" "$good" --allow-auto
fresh '.rules = [{command: "mark args", decide: "auto"}]'
stopped "a piece that no rule names is asked about" "$good" --allow-auto
STATUS=

# Rules on values: what passes runs, what does not is denied, whatever its spelling.
fresh "$AUTO"' | .rules = [
  {command: "*", option: "--port", range: [1024, 65535], decide: "auto"},
  {command: "*", option: "--port", decide: "deny", reason: "the system'"'"'s"},
  {command: "*", option: "--config", below: ["/etc/ssl"], decide: "auto"},
  {command: "*", option: "--config", below: ["/etc", "'"$W/canary"'"], decide: "deny"},
  {command: "*", option: "--host", hosts: ["*.example.com", "127.0.0.1"], decide: "auto"},
  {command: "*", option: "--host", decide: "deny"},
  {command: "*", option: "--name", is: ["a", "b"], decide: "auto"},
  {command: "*", option: "--name", decide: "deny"}] + .rules'
ln -s "$W/canary" "$W/cwd/link"
ln -s /etc "$W/cwd/etc"
while read -r option value; do
  WANT=('the policy denies it')
  stopped "denied: $option $value" "$(words args "$option" "$value")" --allow-auto
done <<VALUES
--port 80
--port 1023
--port 65536
--port -8080
--port 0
--config /etc/passwd
--config /etc
--config /etc/ssl/../passwd
--config /etc/./passwd
--config //etc//passwd
--config /usr/../etc/passwd
--config ../canary/key
--config link/key
--config link/../canary/key
--config etc/passwd
--config etc/new/file
--config ./link
--config $W/canary/new
--config $W/cwd/../canary
--host example.com
--host evil.com
--host example.com.evil.com
--host evilexample.com
--host api.example.com@evil.com
--host http://api.example.com@evil.com/
--host http://evil.com/api.example.com
--host http://evil.com#api.example.com
--host http://evil.com?api.example.com
--host http://evil.com\\@api.example.com/
--host http://a@b@api.example.com/
--host 2130706433
--host 0x7f000001
--host 127.1
--host 0177.0.0.1
--host [::1]
--host api.example.com%00.evil.com
--host .example.com.
--name A
--name a,b
--name ab
VALUES
WANT=()
while read -r option value; do
  auto "allowed: $option $value" "$(words args "$option" "$value")"
done <<'VALUES'
--port 1024
--port 65535
--config /etc/ssl/certs
--config mark.json
--host api.example.com
--host API.Example.COM
--host https://api.example.com:8443/x?y
--host 127.0.0.1:80
--host [::ffff:127.0.0.1]:80
--name b
VALUES
fresh "$AUTO"' | .rules = [{command: "mark write", decide: "deny"}, {command: "mark wipe *", decide: "deny"}] + .rules'
WANT=('the policy denies it')
stopped "denied: a command" "$(words write x)" --allow-auto
stopped "denied: a command, by its path with *" "$(words wipe)" --allow-auto
stopped "denied, and a person who says yes" "$(words write x)" "${NEVER[@]}"
WANT=()

# The sandbox, from within.
if [ ${#BOX[@]} -eq 0 ]; then
  fresh "$AUTO"
  mkdir -p "$W/canary/.ssh" && echo "the key" >"$W/canary/.ssh/id"
  python3 -c 'import socket,sys,time; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9); time.sleep(600)' \
    "$W/canary/socket" & listener=$!
  sleep 300 & victim=$!
  until [ -S "$W/canary/socket" ]; do sleep 0.05; done
  before=$(canary)
  # What lies below /tmp may well be written, but not ours: see "files outside have changed".
  for path in "$W/canary/file" "$W/canary/new" "$W/bin/mark" "$W/policy.json" "$W/cwd/../canary/new"; do
    auto "the sandbox: writes ${path/#$W/W}" "$(words write "$path")"
  done
  LACK=('write DONE')
  for path in "$W/log/audit" /etc/new /usr/bin/new /root/new /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern \
    /proc/sysrq-trigger /sys/kernel/uevent_helper /proc/1/root/etc/new /proc/self/root/etc/new /proc/1/mem "$PWD/new"; do
    auto "the sandbox: writes ${path/#$W/W}" "$(words write "$path")"
  done
  LACK=('chmod DONE')
  for path in /dev/null /dev/urandom /dev/tty /etc/passwd /bin /usr /proc/sys /proc/sys/kernel/core_pattern; do
    auto "the sandbox: changes the mode of $path" "$(words chmod "$path")"
  done
  WANT=('write DONE') LACK=()
  auto "the sandbox: the working directory is open" "$(words write inside)"
  auto "the sandbox: /tmp is one of its own" "$(words write /tmp/confirm-exec-canary)"
  [ ! -e /tmp/confirm-exec-canary ] || { failed=$((failed + 1)) && echo "# /tmp was ours"; }
  WANT=() LACK=('read DONE')
  for path in "$W/canary/.ssh/id" "/proc/$victim/environ" "/proc/$$/cmdline" /dev/mem /dev/sda /dev/vda /dev/kmsg; do
    auto "the sandbox: reads ${path/#$W/W}" "$(words read "$path")"
  done
  LACK=('connect DONE')
  for path in "$W/canary/socket" /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket; do
    auto "the sandbox: connects to ${path/#$W/W}" "$(words connect "$path")"
  done
  LACK=('DONE')
  for call in unshare mount remount chroot ptrace keyring bpf uring clone3 setuid clock; do
    auto "the kernel: $call" "$(words kernel $call)"
  done
  LACK=('kill DONE')
  auto "the sandbox: kills $victim outside" "$(words kill $victim)"
  kill -0 $victim || { failed=$((failed + 1)) && echo "# it was killed"; }
  LACK=()
  kill $listener $victim
  wait $listener $victim 2>/dev/null

  # Closed unless the policy opens it.
  fresh "$AUTO | .settings.writable = false"
  LACK=('write DONE')
  status=0
  run_it "$(words write inside)" --allow-auto
  n=$((n + 1))
  if [ $status -eq 0 ] && ! grep -q 'write DONE' "$W/out" && [ -z "$(ls "$W/cwd")" ]; then
    echo "ok $n - the sandbox: a working directory that the policy does not open"
  else
    failed=$((failed + 1))
    echo "not ok $n - the sandbox: a working directory that the policy does not open"
  fi
  LACK=()
fi
fresh "$AUTO"
WANT=('terminal closed')
runs "no way to the person's terminal" "$(words terminal)" "${YES[@]}"
runs "nor without the sandbox" "$(words terminal)" "${YES[@]}" --no-sandbox
WANT=()

# Output: what a terminal would obey does not reach it, and what is piped is as it was.
hex() { printf '%b' "$1" | od -An -tx1 | tr -d ' \n'; }
painted() {
  WANT=("$3")
  runs "output to a terminal: $1" "$(words paint "$(hex "$2")")" "${YES[@]}"
  if tr -d '\r' <"$W/out" | LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]'; then
    failed=$((failed + 1)) && echo "# not ok: control characters came through"
  fi
  WANT=()
}
fresh
painted "colours" '\x1b[31mred\x1b[0m' '\u{1b}[31mred\u{1b}[0m'
painted "clear screen" '\x1b[2J\x1b[H' '\u{1b}[2J\u{1b}[H'
painted "title" '\x1b]0;evil\x07' '\u{1b}]0;evil\u{7}'
painted "clipboard" '\x1b]52;c;ZXZpbA==\x07' '\u{1b}]52;c;ZXZpbA==\u{7}'
painted "a report into our input" '\x1b[6n\x1b[c\x05' '\u{1b}[6n\u{1b}[c\u{5}'
painted "8-bit CSI" '\xc2\x9b2J' '\u{9b}2J'
painted "8-bit CSI that is no UTF-8" '\x9b2J' '\x{9b}2J'
painted "a line over a line" 'harmless\rharmful ' 'harmless'
painted "backspaces" 'abc\x08\x08\x08xyz' 'abc\u{8}\u{8}\u{8}xyz'
painted "right-to-left override" '\xe2\x80\xaecba' '\u{202e}cba'
painted "zero-width" 'a\xe2\x80\x8bb' 'a\u{200b}b'
painted "letters of other scripts stay" 'caf\xc3\xa9' $'caf\u00e9'
painted "a question of its own" 'Run this command? [y/N] ' 'Run this command? [y/N] '
printf '\033[31mred\033[0m\n' >"$W/raw"
fresh "$AUTO"
auto "output to a pipe is raw" "$(words paint "$(hex '\x1b[31mred\x1b[0m')")"
n=$((n + 1))
if grep -qF "$(cat "$W/raw")" "$W/out"; then
  echo "ok $n - every byte of it"
else
  failed=$((failed + 1)) && echo "not ok $n - every byte of it"
fi

# Too much of something.
STATUS=124
fresh "$AUTO"
WANT=('more than 1 MiB of output')
auto "a flood of output" "$(words flood x)"
n=$((n + 1)) size=$(stat -c %s "$W/out")
if [ "$size" -lt 1100000 ] && [ "$(jq -r 'select(.event == "end").bound' "$W/log/audit")" = output ]; then
  echo "ok $n - and no more of it than the policy says"
else
  failed=$((failed + 1)) && echo "not ok $n - $size bytes of it"
fi
fresh "$AUTO | .settings.processes = 40"
WANT=('more than 40 processes')
if [ ${#BOX[@]} -eq 0 ]; then
  auto "a fork bomb in the sandbox" "$(words bomb)"
fi
# Others who come and go meanwhile get the numbers of what has ended: they must not be hit.
peak() { # the largest number of processes, until $W/hit is gone
  while [ -e "$W/hit" ]; do
    printf '%s\n' /proc/[0-9]* | wc -l
    sleep 0.05
  done | sort -n | tail -n 1
}
: >"$W/hit"
at_rest=$(printf '%s\n' /proc/[0-9]* | wc -l)
peak >"$W/peak" & peaker=$!
(
  while [ -e "$W/hit" ]; do
    /bin/true || echo "a stranger was hit: $?" >>"$W/hits"
  done
) 2>/dev/null & strangers=$!
# As root, only a control group bounds it: without one, it would be the whole machine's.
if [ "$(id -u)" -ne 0 ] || grep -qE '(:|,)pids(,|:)' /proc/self/cgroup || [ -e /sys/fs/cgroup/cgroup.subtree_control ]; then
  auto "a fork bomb without the sandbox" "$(words bomb)" --no-sandbox
fi
rm "$W/hit"
wait $strangers $peaker
n=$((n + 1))
if [ "$(($(<"$W/peak") - at_rest))" -lt 300 ]; then
  echo "ok $n - there were never many of them"
else
  failed=$((failed + 1)) && echo "not ok $n - from $at_rest to $(<"$W/peak") processes"
fi
n=$((n + 1))
if [ ! -e "$W/hits" ]; then
  echo "ok $n - no stranger is hit"
else
  failed=$((failed + 1)) && echo "not ok $n - no stranger is hit" && sed 's/^/# /' "$W/hits"
fi
n=$((n + 1))
if ! readlink /proc/[0-9]*/cwd 2>/dev/null | grep -qF "$W/cwd"; then
  echo "ok $n - and none of it is left"
else
  failed=$((failed + 1)) && echo "not ok $n - some of it is left"
fi
WANT=('was ended after 1 s')
fresh "$AUTO | .settings.timeout = 1"
for box in --timeout=1 --no-sandbox; do
  auto "one that ignores all signals, $box" "$(words stubborn)" $box
  auto "one that uses up its time, $box" "$(words use-up time)" $box
done
STATUS=
WANT=('memory bounded')
fresh "$AUTO | .settings.memory_mib = 64 | .settings.file_mib = 2 | .settings.files = 32"
auto "more memory than the policy says" "$(words use-up memory)"
WANT=('file bounded')
auto "a larger file than the policy says" "$(words use-up file)"
WANT=('files bounded')
auto "more descriptors than the policy says" "$(words use-up files)"
WANT=()

# Processes that stay.
fresh "$AUTO"
for box in --timeout=60 --no-sandbox; do
  rm -f "$W/cwd/alive"
  auto "a child that leaves its group and session, $box" "$(words orphan)" $box
  n=$((n + 1))
  if [ -e "$W/cwd/alive" ] && flock -w 5 "$W/cwd/alive" true; then
    echo "ok $n - it is gone when we are"
  else
    failed=$((failed + 1)) && echo "not ok $n - it lives on"
  fi
done

# Children that we had before we were this program are no part of its tree.
with_child() {
  rm -f "$W/cwd/ran" "$W/log"/*
  printf '%s\n' mark args hello >"$W/expected"
  status=0 asked=
  printf '%s' "$good" | sh -c 'sleep 60 & echo $! >"$0/child"; exec "$@"' "$W" "$BIN/confirm-exec" --spec "$SPEC" \
    --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/log/audit" --allow-auto "$1" >"$W/out" 2>&1 || status=$?
  kill "$(<"$W/child")" || status=gone
  verdict "a child from before lives on, $1" 0 words
}
for box in --timeout=60 --no-sandbox; do with_child $box; done

# Signals: before the question, at it, while it runs; whatever comes, the log holds and says
# all of what ran.
signalled() {
  local name=$1 want=$2 ran=$3
  shift 3
  rm -f "$W/cwd/ran" "$W/log"/*
  status=0 asked=1
  printf '%s' "$record" >"$W/record"
  "$HELPERS/helper-pty" "$@" -- sh -c "echo \$\$ >$W/pid; exec \"\$@\"" sh "$BIN/confirm-exec" --spec "$SPEC" \
    --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/log/audit" "${BOX[@]}" <"$W/record" >"$W/out" 2>&1 || status=$?
  verdict "$name" "$want" "$ran"
}
fresh
record=$good
for signal in INT TERM HUP QUIT; do
  signalled "$signal at the question" 126 none after "$ASK" do "kill -$signal \$(cat $W/pid)" after declined
  signalled "$signal at the question, then y" 126 none after "$ASK" do "kill -$signal \$(cat $W/pid)" type 'y\n'
done
signalled "KILL at the question" 137 none after "$ASK" do "kill -KILL \$(cat $W/pid)"
for signal in USR1 PIPE ALRM; do
  signalled "$signal at the question" "126 138 141 142" none after "$ASK" do "kill -$signal \$(cat $W/pid)" type 'n\n'
done
record=$(words stubborn)
printf '%s\n' mark stubborn >"$W/expected"
for signal in INT TERM HUP QUIT; do
  kill="kill -$signal \$(cat $W/pid); sleep 0.2"
  signalled "$signal while it runs, and it ignores it: the third kills it" 137 words \
    after "$ASK" type 'y\n' after ignoring do "$kill" do "$kill" do "$kill"
done
signalled "control-C three times" 137 words after "$ASK" type 'y\n' after ignoring type '\x03' do 'sleep 0.2' \
  type '\x03' do 'sleep 0.2' type '\x03'
record=$(words flood x)
printf '%s\n' mark flood x >"$W/expected"
signalled "control-C into a flood" "130 124" words after "$ASK" type 'y\n' after 'x' type '\x03'

fresh "$AUTO"
for i in $(seq 0 4 96); do
  rm -f "$W/cwd/ran" "$W/log"/*
  words orphan >"$W/record"
  setsid -w "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" --cwd "$W/cwd" --audit "$W/log/audit" \
    --allow-auto "${BOX[@]}" <"$W/record" >"$W/out" 2>&1 &
  us=$!
  sleep "$(printf '0.%03d' "$i")"
  pkill -KILL -P $us 2>/dev/null
  wait $us
  problems='' n=$((n + 1))
  "$BIN/confirm-exec" --verify-log "$W/log/audit" >"$W/verified" 2>&1 || [ ! -e "$W/log/audit" ] || why "$(cat "$W/verified")"
  [ ! -e "$W/cwd/ran" ] || jq -se 'any(.decision == "auto")' "$W/log/audit" >/dev/null || why "it ran without a line in the log"
  [ ! -e "$W/cwd/alive" ] || flock -w 5 "$W/cwd/alive" true || why "something lives on"
  [ -z "$problems" ] || failed=$((failed + 1))
  echo "$([ -z "$problems" ] && echo ok || echo not ok) $n - killed after $i ms"
  printf '%s' "$problems"
done
finish
