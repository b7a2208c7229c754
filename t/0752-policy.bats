#!/usr/bin/env bats
# confirm-exec --pin and --check-policy, and where a policy is found.

bats_require_minimum_version 1.5.0

setup() {
  umask 022
  BIN=${BIN:-bin}
  HELPERS=${HELPERS:-build/release/t}
  W=$BATS_TEST_TMPDIR
  mkdir -m 755 "$W/bin"
  cp "$HELPERS/helper-mark" "$W/bin/mark"
  "$BIN/confirm-exec" --pin "$W/bin/mark" >"$W/policy.json"
  SPEC=testdata/exec/mark.json
}

has() {
  grep -qF -- "$1" <<<"$output" || {
    printf 'no "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

@test "--pin prints a policy that is accepted, with the hashes of program and interpreter" {
  [ "$(jq -r '.programs[0].sha256' "$W/policy.json")" = "$(sha256sum <"$W/bin/mark" | cut -d' ' -f1)" ]
  run "$BIN/confirm-exec" --check-policy --policy "$W/policy.json"
  [ "$status" -eq 0 ]
  has "program mark: $W/bin/mark: as pinned"
  printf '#!/bin/sh\n' >"$W/bin/mark"
  "$BIN/confirm-exec" --pin "$W/bin/mark" >"$W/policy.json"
  [ "$(jq -r '.programs[0].interpreter_sha256' "$W/policy.json")" = "$(sha256sum </bin/sh | cut -d' ' -f1)" ]
  for path in mark ./bin/mark; do
    run "$BIN/confirm-exec" --pin "$path"
    [ "$status" -eq 64 ]
  done
  run -127 "$BIN/confirm-exec" --pin "$W/absent"
  chmod o+w "$W/bin/mark"
  run "$BIN/confirm-exec" --pin "$W/bin/mark"
  [ "$status" -eq 126 ]
}

@test "--check-policy finds programs that have changed" {
  printf x >>"$W/bin/mark"
  run "$BIN/confirm-exec" --check-policy --policy "$W/policy.json"
  [ "$status" -eq 65 ]
  has "NOT the file that is pinned"
  rm "$W/bin/mark"
  run "$BIN/confirm-exec" --check-policy --policy "$W/policy.json"
  [ "$status" -eq 65 ]
  has "No such file"
}

@test "--check-policy finds names that the grammar does not have" {
  jq '.rules = [{command: "mark args", option: "--port", decide: "auto"},
    {command: "mark args", option: "--prot", decide: "deny"},
    {command: "mark arks", decide: "deny"}]' "$W/policy.json" >"$W/rules.json"
  run "$BIN/confirm-exec" --check-policy --policy "$W/rules.json"
  [ "$status" -eq 0 ]
  has "rules: 1 auto, 0 ask, 2 deny; otherwise ask"
  run "$BIN/confirm-exec" --check-policy --policy "$W/rules.json" --spec "$SPEC"
  [ "$status" -eq 65 ]
  has "rule 2: 'mark args' has no '--prot'"
  has "rule 3: mark has no command 'mark arks'"
}

@test "--check-policy says where the fault is" {
  while IFS='|' read -r change message; do
    jq "$change" "$W/policy.json" >"$W/bad.json"
    run "$BIN/confirm-exec" --check-policy --policy "$W/bad.json"
    [ "$status" -eq 65 ]
    has "$message"
  done <<'FAULTS'
.rules = [{command: "*", decide: "yes"}]|$.rules[0]: 'decide' must be auto, ask or deny
.rules = [{command: "*", decide: "ask", option: "--x", argument: "y"}]|$.rules[0]: 'option' and 'argument' exclude each other
.rules = [{command: "*", decide: "ask", below: ["/x"]}]|a condition on values needs an 'option' or 'argument'
.rules = [{command: "*", decide: "ask", option: "--x", below: ["x"]}]|'x' is no absolute path
.programs[0].path = "mark"|$.programs[0]: 'path' must be absolute
.settings.timeout = 0|$.settings: 'timeout' must be a whole number
.setings = {}|'setings' means nothing here
FAULTS
  run "$BIN/confirm-exec" --check-policy --policy "$W/absent.json"
  [ "$status" -eq 66 ]
  chmod o+w "$W/policy.json"
  run "$BIN/confirm-exec" --check-policy --policy "$W/policy.json"
  [ "$status" -eq 126 ]
  has "can be written by everyone"
}

@test "a policy is found below the home directory; without one nothing runs" {
  [ ! -e /etc/confirm-exec/policy.json ] || skip "this machine has one for all"
  mkdir -p "$W/home/.config/confirm-exec" "$W/config/confirm-exec"
  ask() {
    printf '{"proposal":["mark","args"]}' | "$BIN/confirm-exec" --spec "$SPEC" --no-sandbox --dry-run "$@"
  }
  unset XDG_CONFIG_HOME
  export HOME=$W/home
  run ask
  [ "$status" -eq 126 ]
  has "there is no policy"
  has "--pin"
  cp "$W/policy.json" "$W/home/.config/confirm-exec"
  run ask
  [ "$status" -eq 0 ]
  has "$W/bin/mark"
  XDG_CONFIG_HOME=$W/config run ask
  [ "$status" -eq 126 ]
  cp "$W/policy.json" "$W/config/confirm-exec"
  XDG_CONFIG_HOME=$W/config run ask
  [ "$status" -eq 0 ]
}

@test "the policy that decided is in the log, with its hash" {
  jq '.rules = [{command: "mark args", decide: "auto"}]' "$W/policy.json" >"$W/auto.json"
  mkdir "$W/cwd"
  printf '{"proposal":["mark","args"]}' | "$BIN/confirm-exec" --spec "$SPEC" --no-sandbox --allow-auto \
    --policy "$W/auto.json" --audit "$W/log" --cwd "$W/cwd" >"$W/out"
  [ "$(jq -r 'select(.event == "decision").decision' "$W/log")" = auto ]
  [ "$(jq -r 'select(.event == "decision").policy' "$W/log")" = \
    "$W/auto.json sha256:$(sha256sum <"$W/auto.json" | cut -d' ' -f1)" ]
  [ "$(jq -r 'select(.event == "decision").rule' "$W/log")" = "auto (mark args: rule 1)" ]
}
