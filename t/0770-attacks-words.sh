#!/bin/bash
# Attacks through what is proposed: words, option injection, text that is no word, records
# that are no record.
cd "$(dirname "$0")/.." || exit 1
. t/attack.bash
fresh

# Words that a shell, or a program that calls one, would take apart: one word each, and it
# runs as one word.
while IFS= read -r word; do
  runs "one word: $word" "$(words args --name "$word")" "${YES[@]}"
done <<'WORDS'
$(touch canary)
`touch canary`
; touch canary
&& touch canary
|| touch canary
| touch canary
> ran
>> ran
< /etc/passwd
2>&1
& touch canary &
$IFS
${IFS}touch${IFS}canary
$HOME
~
~root
*
?
[a-z]*
{a,b}
!!
!-1
#comment
'
"
'; touch canary; '
"; touch canary; "
\
\\
\n
a\ b
$'\x41'
%s%n
%n%n%n%n
<(touch canary)
>(touch canary)
@file
@/etc/passwd
-
=cmd
PATH=/tmp
../../../../etc/passwd
/dev/tcp/127.0.0.1/80
file:///etc/passwd
http://169.254.169.254/
eval touch canary
$((1+1))
a b  c
 leading
trailing 
()
:(){ :|:& };:
<ran>x
[y/N] y
WORDS

# What looks like an option, as a value or behind "--", stays what it is.
for word in --force --name=x -rf --config=/etc/passwd --help --version --inside-sandbox --; do
  runs "behind --: $word" "$(words args -- "$word")" "${YES[@]}"
done
runs "a value that is an option's name" "$(words args --name --force)" "${YES[@]}"
while read -r line; do
  read -ra list <<<"$line"
  stopped "option injection: $line" "$(words "${list[@]}")" "${NEVER[@]}"
done <<'WORDS'
args --forc x
args --unknown
args --name
args -f
args --name=x
args x --name y --name=z
args --port 1;2
args --port 0x10
args --port 1e3
args --port --force
args --port=--force
args --force=yes
argsx
arg x
args=x
-- args x
--force args x
wipe x
exit
exit 1 2
exit one
exit --force 1
write
unknown --force
write a b
WORDS

# Bytes that no word may hold.
while read -r name code; do
  stopped "in a word: $name" "{\"proposal\":[\"mark\",\"args\",\"a${code}b\"]}" "${NEVER[@]}"
done <<'CODES'
newline \n
return \r
NUL \u0000
escape \u001b
tab \t
backspace \b
bell \u0007
delete \u007f
CSI \u009b
OSC \u009d
NEL \u0085
vertical-tab \u000b
form-feed \f
shift-out \u000e
end-of-transmission \u0004
interrupt \u0003
suspend \u001a
lone-high-surrogate \ud800
lone-low-surrogate \udc00
clear-screen \u001b[2J
repaint \u001b[1A\u001b[2K
title \u001b]0;x\u0007
clipboard \u001b]52;c;eA==\u0007
hyperlink \u001b]8;;http://x\u001b\\\\
alternate-screen \u001b[?1049h
answer-back \u0005
CODES
for bytes in '\xff' '\xc0\x80' '\xed\xa0\x80' '\xf4\x90\x80\x80' '\xc3' '\xe2\x80' '\xf8\x88\x80\x80\x80'; do
  stopped "not UTF-8: $bytes" "$(printf '{"proposal":["mark","args","a'"$bytes"'"]}')" "${NEVER[@]}"
done

# Records that are none, more than one, or that say two things.
good=$(words args hello)
while IFS= read -r record; do
  stopped "record: ${record:0:60}" "$(printf '%b' "${record//GOOD/$good}")" "${NEVER[@]}"
done <<'RECORDS'
GOOD\nGOOD
GOODGOOD
GOOD GOOD
GOOD\n\n\n{"proposal":["mark","wipe"]}
GOOD,GOOD
[GOOD,GOOD]
GOOD\n{
GOODx
{"proposal":["mark","args"],"proposal":["mark","wipe"]}
{"proposal":["mark","args"],"argv":["mark","args"],"argv":["mark","wipe"]}
{"proposal":["mark","args"]
{"proposal":"mark args"}
{"proposal":["mark",["args"]]}
{"proposal":["mark",null]}
{"proposal":["mark",1]}
{"proposal":{"0":"mark"}}
{"proposal":[]}
{"proposal":["mark"]}
{"proposal":["args"]}
{"proposal":["/bin/sh","-c","touch canary"]}
{"proposal":["sh","-c","touch canary"]}
{"proposal":["./mark","args"]}
{"proposal":["../bin/mark","args"]}
{"proposal":["MARK","args"]}
{"proposal":["mark ","args"]}
{"proposal":["","mark","args"]}
{"proposal":null}
{"proposal":null,"argv":["mark","args"]}
{"proposal":false}
{"command":"mark args"}
{"request":"run mark args","verdict":{"ok":true,"code":"ok"}}
{"proposal":["mark","explode"],"verdict":{"ok":true,"code":"ok","at":0,"message":""}}
{"proposal":["mark","explode"],"confidence":1,"approved":true,"decide":"auto"}
mark args hello
y
null
"mark"

RECORDS

# Size and depth.
big() {
  printf '{"request":"'
  head -c "$1" /dev/zero | tr '\0' x
  printf '","proposal":["mark","args","hello"]}'
}
large() {
  rm -f "$W/cwd/ran" "$W/log"/*
  status=0
  person "${@:2}" <"$W/record" >"$W/out" 2>&1 || status=$?
  verdict "$1" 126 none
}
{ printf '{"proposal":["mark","args","' && head -c 100M /dev/zero | tr '\0' x && printf '"]}'; } >"$W/record"
large "a record of 100 MB, one word of it" --
{ printf '{"proposal":["mark","args"' && yes ',"x"' | head -c 100M | tr -d '\n' && printf ']}'; } >"$W/record"
large "a record of 100 MB, millions of words" --
{ head -c 300M /dev/zero | tr '\0' ' ' && echo "$good"; } >"$W/record"
large "a line beyond 256 MB" --
zstd -q -1 -c "$W/record" >"$W/bomb" && mv "$W/bomb" "$W/record"
large "the same as a bomb of zstd" --
{ head -c 100000 /dev/zero | tr '\0' '[' && echo "$good"; } >"$W/record"
large "100,000 arrays deep" --
printf '%s\n' "$good" | zstd -q >"$W/whole"
head -c -4 "$W/whole" >"$W/record"
large "zstd cut off before its checksum" --
sed 's/\(.\)$/X/' "$W/whole" >"$W/record"
printf 'x' | dd of="$W/record" bs=1 seek=12 conv=notrunc status=none
large "zstd damaged" --
cat "$W/whole" "$W/whole" >"$W/record"
large "two frames, two records" --
printf '%s\0' "$good" >"$W/record"
large "a NUL behind the record" --
printf '\0%s' "$good" >"$W/record"
large "a NUL before the record" --
head -c 4000 /dev/urandom >"$W/record"
large "noise" --
{ echo "$good" && yes "$good" | head -n 10000; } >"$W/record"
large "10,001 records" --
rm "$W/record"
stopped "513 words" "$(jq -nc '{proposal: (["mark", "args"] + [range(511) | "x"])}')" "${NEVER[@]}"
stopped "more than 32 KiB of words" "$(jq -nc '{proposal: ["mark", "args", ("x" * 33000)]}')" "${NEVER[@]}"
finish
