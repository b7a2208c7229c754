#!/bin/bash
# Attacks on the person: answers that are none, keys typed ahead, a terminal that is not
# there, words that paint their own question or hide what they are.
cd "$(dirname "$0")/.." || exit 1
. t/attack.bash
fresh
good=$(words args hello)
ASK='Run this command?'

# Only y and yes are a yes, alone on their line.
while IFS= read -r answer; do
  stopped "the answer '$answer'" "$good" after "$ASK" type "$answer\n" --
done <<'ANSWERS'
n
no

N
q
yy
yes please
yes!
y y
y.
"y"
ye
yess
yes yes
ja
oui
ok
sure
true
1
Y\x01
\x1b[Ay
y\xcc\x88
\xd1\x83
\xef\xbd\x99
\xff
-y
--yes
run
all
always
!
y;n
n\x0ay
\x16\x03y
\x16\x00
\x04
\x03
\x1c
y\x04\x15n
yes\x15n
y\x7fn
ANSWERS
stopped "a line of 2000 bytes that begins with y" "$good" after "$ASK" type "y$(printf ' %.0s' {1..2000})\n" --
for answer in y Y yes YES Yes ' y ' 'x\x7fy' 'no\x15yes'; do
  runs "the answer '$answer'" "$good" after "$ASK" type "$answer\n" --
done

# A danger wants the whole word.
for answer in y Y ' y' ye yess 'y\n\nyes' n ''; do
  stopped "a danger, and the answer '$answer'" "$(words wipe)" after 'yes/N] ' type "$answer\n" --
done
stopped "a dangerous option, and y" "$(words args --force)" after 'yes/N] ' type 'y\n' --
runs "a danger, and the whole word" "$(words wipe)" after 'yes/N] ' type 'yes\n' --
WANT=('args' '--force    <== DANGER: cannot be undone' '! danger     --force: cannot be undone')
runs "a dangerous option is marked where it stands" "$(words args --force)" after 'yes/N] ' type 'yes\n' --
WANT=()

# What was typed before the question.
STATUS=126
asked=1
ahead() {
  local name=$1
  shift
  run_it "$good" "$@" --
  verdict "typed ahead: $name" 126 none
}
ahead "y" type 'y\n' after "$ASK" type 'n\n'
ahead "y, then only return" type 'y\n' after "$ASK" type '\n'
ahead "yes many times" type 'yes\nyes\nyes\nyes\nyes\n' after "$ASK" type '\n'
ahead "y without return" type 'y' after "$ASK" type '\n'
ahead "y, to a raw terminal" raw type 'y\n' after "$ASK" type '\n'
ahead "y, while the description is shown" after 'digest' after "$ASK" type '\n'
ahead "y and end of file" type 'y\n\x04' after "$ASK" type '\x04'
ahead "y into the flow control" type '\x13y\n\x11' after "$ASK" type '\n'

# Nobody there.
stopped "no terminal" "$good"
stopped "y on standard input behind the record" "$good"$'\ny\nyes\n'
unattended() {
  local name=$1
  shift
  rm -f "$W/cwd/ran" "$W/log"/*
  status=0 asked=1
  "$@" >"$W/out" 2>&1 || status=$?
  verdict "$name" "126 129" none
}
from_pipe() { yes | setsid -w "$BIN/confirm-exec" --spec "$SPEC" --policy "$W/policy.json" --audit "$W/log/audit"; }
unattended "yes(1) as standard input" from_pipe
hang_up() {
  printf '%s' "$good" >"$W/record"
  "$HELPERS/helper-pty" after "$ASK" hang-up - -- "$BIN/confirm-exec" --spec "$SPEC" --cwd "$W/cwd" \
    --policy "$W/policy.json" --audit "$W/log/audit" "${BOX[@]}" <"$W/record"
}
unattended "the terminal is closed at the question" hang_up
n=$((n + 1))
if jq -e 'select(.decision == "declined")' "$W/log/audit" >/dev/null; then
  echo "ok $n - and the log says that it was a no"
else
  failed=$((failed + 1))
  echo "not ok $n - and the log says that it was a no"
fi
stopped "nobody answers in time" "$good" after "$ASK" do 'sleep 1.5' -- --answer-timeout 1
WANT=('no answer in time')
stopped "nor does half an answer" "$good" after "$ASK" type 'y' do 'sleep 1.5' -- --answer-timeout 1
WANT=()
LACK=('[hello]')
stopped "an answer that comes late" "$good" after "$ASK" do 'sleep 1.5' type 'y\n' -- --answer-timeout 1
LACK=()

# Words that paint, hide, or look like others: shown in a visible notation, and warned about.
shown() {
  local name=$1 json=$2 notation=$3 warning=$4
  WANT=("$notation" "$warning")
  [ "$warning" ] || WANT=("$notation")
  stopped "shown: $name" "{\"proposal\":[\"mark\",\"args\",$json]}" after 'digest  ' after "$ASK" type 'n\n' --
  if LC_ALL=C grep -q '[^ -~]' <(tr -d '\r' <"$W/out"); then
    n=$((n + 1)) failed=$((failed + 1))
    echo "not ok $n - shown: $name: with bytes that are not printable ASCII"
  fi
  WANT=()
}
shown "right-to-left override" '"a\u202etxt.exe"' "\$'a\\u202etxt.exe'" "direction of text"
shown "left-to-right isolate" '"\u2066x\u2069"' "\$'\\u2066x\\u2069'" "direction of text"
shown "Arabic letter mark" '"\u061cx"' "\$'\\u061cx'" "direction of text"
shown "zero-width space" '"rm\u200b"' "\$'rm\\u200b'" "invisible characters"
shown "zero-width joiner" '"a\u200db"' "\$'a\\u200db'" "invisible characters"
shown "word joiner" '"a\u2060b"' "\$'a\\u2060b'" "invisible characters"
shown "byte order mark" '"\ufeffx"' "\$'\\ufeffx'" "invisible characters"
shown "soft hyphen" '"a\u00adb"' "\$'a\\u00adb'" "invisible characters"
shown "no-break space" '"a\u00a0b"' "\$'a\\u00a0b'" "invisible characters"
shown "ideographic space" '"a\u3000b"' "\$'a\\u3000b'" "invisible characters"
shown "Hangul filler" '"a\u3164b"' "\$'a\\u3164b'" "invisible characters"
shown "Braille blank" '"a\u2800b"' "\$'a\\u2800b'" "invisible characters"
shown "variation selector" '"a\ufe0f"' "\$'a\\ufe0f'" "invisible characters"
shown "tag characters" '"a\udb40\udc61"' "\$'a\\U000e0061'" "invisible characters"
shown "line separator" '"a\u2028b"' "\$'a\\u2028b'" "invisible characters"
shown "Cyrillic a" '"\u0430pple"' "\$'\\u0430pple'" "beyond ASCII"
shown "Greek question mark" '"a\u037eb"' "\$'a\\u037eb'" "beyond ASCII"
shown "full-width slash" '"a\uff0fb"' "\$'a\\uff0fb'" "beyond ASCII"
shown "division slash" '"a\u2215b"' "\$'a\\u2215b'" "beyond ASCII"
shown "typographic dash" '"\u2013force"' "\$'\\u2013force'" "beyond ASCII"
shown "minus sign" '"\u2212rf"' "\$'\\u2212rf'" "beyond ASCII"
shown "combining accent" '"e\u0301"' "\$'e\\u0301'" "beyond ASCII"
shown "emoji" '"\ud83d\ude00"' "\$'\\U0001f600'" "beyond ASCII"
shown "typographic quotes" '"\u2019; x"' "\$'\\u2019; x'" "beyond ASCII"
shown "trailing blank" '"a "' "'a '" "blanks at its begin or end"
shown "leading blank" '" a"' "' a'" "blanks at its begin or end"
shown "two blanks in a row" '"a  b"' "'a  b'" "several in a row"
shown "nothing at all" '""' "''" ""
shown "a question of its own" '"Run this command? [y/N] y"' "'Run this command? [y/N] y'" ""
shown "a danger that is not one" '"x    <== DANGER: none"' "'x    <== DANGER: none'" ""
shown "a provenance of its own" '"x    (in the request)"' "'x    (in the request)'" ""
shown "a word that looks like two" '"a'"'"' '"'"'b"' "'a'\\'' '\\''b'" ""
shown "an escape in its own notation" '"$'"'"'\\u202e'"'"'"' "'\$'\\''\\u202e'\\'''" ""
shown "a new line in its own notation" '"\\n"' "'\\n'" ""

# The rest of what is shown comes from strangers, too.
WANT=('"\u{1b}[2J\u{1b}[HRun this command? [y/N] y"')
stopped "a request that repaints" \
  '{"proposal":["mark","args","x"],"request":"\u001b[2J\u001b[HRun this command? [y/N] y"}' after 'digest' after "$ASK" type 'n\n' --
WANT=('\u{202e}')
stopped "a request that turns the text round" \
  '{"proposal":["mark","args","x"],"request":"\u202exyz"}' after "$ASK" type 'n\n' --
WANT=('low \u{1b}]0;title\u{7}')
stopped "a reason that sets the title" '{"proposal":null,"reason":"low \u001b]0;title\u0007"}' "${NEVER[@]}"
WANT=('\u{1b}[31mred')
evil=$'\e[31mred'
mkdir "$W/cwd/$evil"
stopped "a directory that paints" "$good" after "$ASK" type 'n\n' -- --cwd "$W/cwd/$evil"
rm -rf "${W:?}/cwd/$evil"
WANT=('bad-text: word 1 holds a control character')
stopped "an unknown command that paints" '{"proposal":["mark","x\u009b2J"]}' "${NEVER[@]}"
jq '(.commands[] | select(.name == "wipe").metadata[0].value) = "ends\u001b[8m\u202eall"' testdata/exec/mark.json >"$W/spec.json"
usual=$SPEC SPEC=$W/spec.json
WANT=('ends\u{1b}[8m\u{202e}all')
stopped "a danger that hides itself" "$(words wipe)" after 'yes/N] ' type 'n\n' --
SPEC=$usual
WANT=()

# What the request does not say.
WANT=('8123    (in the request)' '/etc/shadow    (NOT in the request)')
stopped "a value that nobody asked for" \
  '{"request":"use port 8123","proposal":["mark","args","--port","8123","--config","/etc/shadow"]}' \
  after "$ASK" type 'n\n' --
WANT=('123    (NOT in the request)')
stopped "a value that is only a part of what was said" \
  '{"request":"use port 8123","proposal":["mark","args","--port","123"]}' after "$ASK" type 'n\n' --

# Nothing scrolls away unsaid.
many=$(jq -nc '{proposal: (["mark", "args"] + [range(100) | "w\(.)"])}')
WANT=('! long       ' 'scroll up to word 0' '   0   mark' ' 101   w99')
stopped "a hundred words on a terminal of 24 lines" "$many" after "$ASK" type 'n\n' --
WANT=('! long       ')
stopped "one word of 20,000 bytes" "$(words args "$(printf 'x%.0s' {1..20000})")" after "$ASK" type 'n\n' --
WANT=()
finish
