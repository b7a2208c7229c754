#!/bin/bash
# Attacks on the files: the policy, the program, its interpreter and hash, the grammar, the
# working directory, the log; replaced, open to others, bent by links, changed meanwhile.
cd "$(dirname "$0")/.." || exit 1
. t/attack.bash
good=$(words args hello)
ASK='Run this command?'

# refused NAME CHANGE [FILTER]: CHANGE is done to good files, and nothing may be asked.
refused() {
  fresh "${3:-.}"
  eval "$2"
  before=$(canary)
  stopped "$1" "$good" "${NEVER[@]}"
}

# A policy that others can change, or that is none.
WANT=()
refused "the policy can be written by everyone" 'chmod o+w "$W/policy.json"'
refused "the policy can be written by a group" 'chmod g+w "$W/policy.json"'
if [ "$(id -u)" -eq 0 ]; then
  refused "the policy belongs to someone else" 'chown 12345 "$W/policy.json"'
  refused "the program belongs to someone else" 'chown 12345 "$W/bin/mark"'
  refused "the directory of the program belongs to someone else" 'chown 12345 "$W/bin"'
  refused "the program can be written by a strange group" 'chgrp 12345 "$W/bin/mark"; chmod g+w "$W/bin/mark"'
  refused "the directory can be written by a strange group" 'chgrp 12345 "$W/bin"; chmod g+w "$W/bin"'
  chown 0:0 "$W/policy.json"
fi
refused "the policy is missing" 'rm "$W/policy.json"; before='
refused "the policy is a directory" 'rm "$W/policy.json"; mkdir "$W/policy.json"'
rmdir "$W/policy.json"
refused "the policy is a pipe" 'rm "$W/policy.json"; mkfifo "$W/policy.json"'
rm -f "$W/policy.json"
refused "the policy is a link out of a directory that everyone can write" \
  'mkdir -m 777 "$W/open"; mv "$W/policy.json" "$W/open/real"; ln -s "$W/open/real" "$W/policy.json"'
rm -rf "${W:?}/open" "$W/policy.json"
refused "the policy is a link to itself" 'ln -sf policy.json "$W/policy.json"'
rm -f "$W/policy.json"
refused "the policy lies in a directory that everyone can write" 'chmod 777 "$W"'
chmod 700 "$W"
while IFS= read -r text; do
  STATUS='126 127' refused "a policy that says ${text:0:70}" 'printf "%s" "$text" >"$W/policy.json"'
done <<'POLICIES'

{}
[]
{"policy":1}
{"policy":2,"programs":[]}
{"policy":1,"programs":[]}
{"policy":1,"programs":{}}
{"policy":1,"programs":[{"name":"mark"}]}
{"policy":1,"programs":[{"name":"mark","path":"bin/mark"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true","sha":"x"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true","sha256":"1234"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"},{"name":"mark","path":"/usr/bin/false"}]}
{"policy":1,"programs":[{"name":"a/mark","path":"/usr/bin/true"}]}
{"policy":1,"default":"auto","programs":[{"name":"mark","path":"/usr/bin/true"}]}
{"policy":1,"default":"yes","programs":[{"name":"mark","path":"/usr/bin/true"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"rules":[{"command":"*"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"rules":[{"decide":"auto"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"rules":[{"command":"*","decide":"allow"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"rules":[{"command":"*","decide":"ask","belov":["/"]}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"rules":[{"command":"*","decide":"ask","range":[2,1]}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"settings":{"timeout":0}}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"settings":{"network":"no"}}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"settings":{"write":["tmp"]}}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}],"settings":{"umask":"9"}}
{"policy":1,"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/true"}]} x
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin/tr\u0000ue"}]}
{"policy":1,"programs":[{"name":"other","path":"/usr/bin/true"}]}
{"policy":1,"programs":[{"name":"mark","path":"/usr/bin"}]}
{"policy":1,"programs":[{"name":"mark","path":"/dev/null"}]}
{"policy":1,"programs":[{"name":"mark","path":"/proc/self/fd/0"}]}
{"policy":1,"programs":[{"name":"mark","path":"/etc/passwd"}]}
POLICIES

# A program that is another one, or can become one.
refused "the program can be written by everyone" 'chmod o+w "$W/bin/mark"'
refused "its directory can be written by everyone" 'chmod o+w "$W/bin"'
refused "it is a link into a directory that everyone can write" \
  'mkdir -m 777 "$W/open"; mv "$W/bin/mark" "$W/open/real"; ln -s "$W/open/real" "$W/bin/mark"'
rm -rf "${W:?}/open"
refused "a directory on the way is such a link" \
  'mkdir -m 777 "$W/open"; cp -r "$W/bin" "$W/open/bin"; rm -r "${W:?}/bin"; ln -s open/bin "$W/bin"'
rm -rf "${W:?}/open" "${W:?}/bin"
refused "it is a directory" 'rm "$W/bin/mark"; mkdir "$W/bin/mark"'
refused "it is a pipe" 'rm "$W/bin/mark"; mkfifo -m 755 "$W/bin/mark"'
refused "it is not executable" 'chmod a-x "$W/bin/mark"'
refused "its links go round" 'ln -sf mark2 "$W/bin/mark"; ln -s mark "$W/bin/mark2"'
STATUS=127 refused "it is gone" 'rm "$W/bin/mark"'
STATUS=127 refused "it is a link to nowhere" 'ln -sf nowhere "$W/bin/mark"'
zeros=$(printf '0%.0s' {1..64})
refused "its hash is not the one that is pinned" : ".programs[0].sha256 = \"$zeros\""
refused "an interpreter is pinned, and it has none" : ".programs[0].interpreter_sha256 = \"$zeros\""
script='printf "#!%s\n" "$W/bin/sh" >"$W/bin/mark"; cp /bin/sh "$W/bin/sh"'
refused "its interpreter is not the one that is pinned" "$script" ".programs[0].interpreter_sha256 = \"$zeros\""
refused "its interpreter can be written by everyone" "$script"'; chmod o+w "$W/bin/sh"'
refused "its interpreter is a script" "$script"'; printf "#!/bin/sh\n" >"$W/bin/sh"'
refused "its interpreter is a relative path" 'printf "#!sh\n" >"$W/bin/mark"'
refused "its interpreter is found by PATH" 'printf "#! mark2\n" >"$W/bin/mark"; cp "$HELPERS/helper-mark" "$W/bin/mark2"'
refused "it has an empty interpreter" 'printf "#!\n" >"$W/bin/mark"'

# The usual way, pinned, and by links that nobody else can change.
fresh
hash=$(sha256sum <"$W/bin/mark" | cut -d' ' -f1)
policy ".programs[0].sha256 = \"$hash\""
before=$(canary)
runs "the hash that is pinned" "$good" "${YES[@]}"
fresh
mv "$W/bin/mark" "$W/bin/real"
ln -s ../bin/./real "$W/bin/mark"
before=$(canary)
runs "a link of our own" "$good" "${YES[@]}"

# Changed between question and answer.
changed() {
  fresh
  [ -z "${3:-}" ] || eval "$3"
  rm -f "$W/cwd/ran"
  status=0 asked=1
  printf '%s' "$good" | person after "$ASK" do "cd $W; $2" type 'y\n' -- >"$W/out" 2>&1 || status=$?
  before=$(canary)
  verdict "while it asks: $1" 126 none
}
evil='printf "#!/bin/sh\necho evil >ran\n" >evil; chmod 755 evil'
changed "the program is replaced" "$evil; mv evil bin/mark"
changed "the program is overwritten in place" "$evil; cat evil >bin/mark"
changed "the program is exchanged for a copy of itself" "cp bin/mark copy; chmod 755 copy; mv copy bin/mark"
changed "the program becomes a link" "$evil; ln -sf ../evil bin/mark"
changed "one byte is added to the program" "printf x >>bin/mark"
changed "the program is removed" "rm bin/mark"
changed "the program's directory is exchanged" "mv bin old; mkdir bin; $evil; mv evil bin/mark; rm -r old"
changed "the working directory is exchanged" "mv cwd old; mkdir cwd; rm -r old"
changed "the working directory becomes a link to another" "mv cwd old; mkdir new; ln -s new cwd"
rm -rf "${W:?}/cwd" "${W:?}/old" "${W:?}/new"
changed "the policy is replaced" "jq '.settings.network = true' policy.json >new; mv new policy.json"
changed "the policy is removed" "mv policy.json old.json"
changed "everyone may now write the policy" "chmod o+w policy.json"
changed "the interpreter is changed" "printf x >>bin/sh" "$script"
changed "the interpreter is replaced" "cp bin/sh new; mv new bin/sh" "$script"
rm -f "$W/evil"

# Programs that stand elsewhere do not come in.
fresh
cp "$W/bin/mark" "$W/cwd/mark"
before=$(canary)
PATH=$W/cwd:$PATH
policy ".programs[0].path = \"$W/absent/mark\""
before=$(canary)
STATUS=127 stopped "neither PATH nor the working directory is searched" "$good" "${NEVER[@]}"
PATH=${PATH#*:}

# The grammar.
grammar() {
  fresh
  cp testdata/exec/mark.json "$W/spec.json"
  SPEC=$W/spec.json
  eval "$2"
  STATUS=${3:-126} stopped "grammar: $1" "$good" "${NEVER[@]}"
  SPEC=testdata/exec/mark.json
  rm -rf "$W/spec.json"
}
grammar "everyone can write it" 'chmod o+w "$W/spec.json"'
grammar "it is none" 'echo "{" >"$W/spec.json"' 125
grammar "it is missing" 'rm "$W/spec.json"' 125
grammar "it is that of another program" 'sed -i "s/\"title\": \"mark\"/\"title\": \"other\"/" "$W/spec.json"'
grammar "it names itself by a path" 'sed -i "s/\"title\": \"mark\"/\"title\": \"..\/mark\"/" "$W/spec.json"' '125 126'
grammar "a link to one that everyone can write" 'chmod o+w "$W/spec.json"; ln -s spec.json "$W/link.json"; SPEC=$W/link.json'
rm -f "$W/link.json"

# The log.
log() {
  fresh
  eval "$2"
  status=0 asked=
  printf '%s' "$good" | person "${NEVER[@]}" --audit "${3:-$W/log/audit}" >"$W/out" 2>&1 || status=$?
  rm -rf "${W:?}/log"
  before=$(canary)
  verdict "log: $1" 125 none
}
log "a device that is full" : /dev/full
log "below a file" 'touch "$W/cwd/file"' "$W/cwd/file/audit"
log "a directory" 'mkdir "$W/log/audit"'
log "a link to another file" 'ln -s ../canary/file "$W/log/audit"'
log "a pipe" 'mkfifo "$W/log/audit"'
log "everyone can write it" 'touch "$W/log/audit"; chmod 666 "$W/log/audit"'
log "its last line is not whole" 'printf "{" >"$W/log/audit"; chmod 600 "$W/log/audit"'
log "its end was cut off" 'printf "%s" "$good" | confirm >/dev/null 2>&1; : >"$W/log/audit"'

# The working directory itself.
fresh
STATUS=64 stopped "no working directory" "$good" "${NEVER[@]}" --cwd "$W/absent"
STATUS=64 stopped "a file as working directory" "$good" "${NEVER[@]}" --cwd "$W/canary/file"
if [ ${#BOX[@]} -eq 0 ]; then
  for dir in / /usr /etc /dev /proc /sys /var; do
    stopped "the sandbox is not to make $dir writable" "$good" "${NEVER[@]}" --cwd $dir
  done
fi

# A path that is bent and put right again 100,000 times, while programs are started by it: the
# program that is meant, or none.
race() {
  local started=0 refusals=0 wrong=0 swapper
  fresh
  "$HELPERS/helper-swap" "$W" 100000 "${@:2}" &
  swapper=$!
  until [ -s "$W/race.json" ]; do sleep 0.01; done
  while kill -0 $swapper 2>/dev/null; do
    rm -f "$W/cwd/ran" "$W/cwd/evil"
    printf '%s' "$good" | confirm --allow-auto --policy "$W/race.json" >"$W/out" 2>&1
    case $? in
    0) started=$((started + 1)) ;;
    126 | 127) refusals=$((refusals + 1)) ;;
    *) wrong=$((wrong + 1)) && sed 's/^/# /' "$W/out" ;;
    esac
    [ ! -e "$W/cwd/evil" ] || wrong=$((wrong + 1))
  done
  wait $swapper || wrong=$((wrong + 1))
  [ "$(jq -s 'map(select(.started == true)) | length' "$W/log/audit")" -eq $started ] || wrong=$((wrong + 1))
  "$BIN/confirm-exec" --verify-log "$W/log/audit" >/dev/null || wrong=$((wrong + 1))
  n=$((n + 1))
  echo "# $started started, $refusals refused"
  if [ $wrong -eq 0 ] && [ $((started + refusals)) -gt 5 ]; then
    echo "ok $n - $1"
  else
    failed=$((failed + 1))
    echo "not ok $n - $1: $wrong wrong"
  fi
  rm -rf "${W:?}/evil" "${W:?}/way" "${W:?}/race.json"
}
race "a path that is swapped 100,000 times for what everyone can write"
race "a path that is swapped 100,000 times for another hash" "$(sha256sum <"$W/bin/mark" | cut -d' ' -f1)"
finish
