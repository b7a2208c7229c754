#!/usr/bin/env bats
# confirm-exec runs the real langgraph: a script of pip's in a virtual environment.

setup() {
  umask 022
  BIN=${BIN:-bin}
  HELPERS=${HELPERS:-build/release/t}
  W=$BATS_TEST_TMPDIR
  source t/venv_cli.bash
  VENV=$PWD/$venv
  venv_need "langgraph-cli==$(jq -r .info.version seeds/langgraph/cli.json)" "$W/pip" ||
    skip "langgraph-cli cannot be installed: $(tail -n 1 "$W/pip")"
  bwrap --ro-bind / / --unshare-pid --dev /dev --proc /proc true 2>"$W/bwrap" || NO_BOX=--no-sandbox
  mkdir -m 755 "$W/cwd"
  "$BIN/confirm-exec" --pin "$VENV/bin/langgraph" | jq '.settings.writable = true' >"$W/policy.json"
  echo '{"dependencies":["."],"graphs":{"agent":"./agent.py:graph"}}' >"$W/cwd/langgraph.json"
  echo 'graph = None' >"$W/cwd/agent.py"
}

# agent RECORD QUESTION ANSWER [OPTION]...
agent() {
  printf '%s' "$1" | "$HELPERS/helper-pty" after "$2" type "$3" -- "$BIN/confirm-exec" \
    --spec seeds/langgraph/cli.json --policy "$W/policy.json" --share-read "$VENV" --cwd "$W/cwd" \
    --audit "$W/log" $NO_BOX "${@:4}"
}

@test "validate reads the project, in the sandbox and without" {
  for box in --timeout=60 --no-sandbox; do
    run agent '{"proposal":["langgraph","validate"]}' 'y/N] ' 'y\n' "$box"
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qi 'valid' <<<"$(sed '1,/y.N\]/d' <<<"$output")"
  done
}

@test "dockerfile wants a whole yes, and writes into the working directory" {
  run agent '{"proposal":["langgraph","dockerfile","Dockerfile"]}' 'yes/N] ' 'yes\n'
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q '^FROM ' "$W/cwd/Dockerfile"
}

@test "its own failure is its own status" {
  rm "$W/cwd/langgraph.json"
  run agent '{"proposal":["langgraph","validate"]}' 'y/N] ' 'y\n'
  [ "$status" -ne 0 ]
  [ "$(jq 'select(.event == "end") | .started' "$W/log")" = true ]
}
