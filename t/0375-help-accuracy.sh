#!/bin/bash
# help2spec against tools from the package index whose true grammar is read from their
# own parsers: what it finds, gets right and makes up, in all and tool by tool.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
venv=build/venv-help
bin=${BIN:-bin}

# Package and console script.
tools='black:black flask:flask yamllint:yamllint mkdocs:mkdocs isort:isort flake8:flake8
mypy:mypy autopep8:autopep8 codespell:codespell virtualenv:virtualenv pipx:pipx
vulture:vulture pre-commit:pre-commit build:pyproject-build bandit:bandit radon:radon
httpie:http jupytext:jupytext nbstripout:nbstripout towncrier:towncrier bumpver:bumpver
uvicorn:uvicorn cookiecutter:cookiecutter watchfiles:watchfiles sqlite-utils:sqlite-utils
datasette:datasette rich-cli:rich tox:tox sqlfluff:sqlfluff djlint:djlint csvkit:csvcut
pip-audit:pip-audit commitizen:cz fastapi-cli:fastapi reuse:reuse'

skip() {
  echo "1..0 # SKIP $1"
  exit 0
}

command -v bwrap >/dev/null || skip 'bubblewrap is not there'
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
packages=$(printf '%s\n' $tools | cut -d: -f1)
if [ ! -f "$venv/complete" ]; then
  mkdir -p build
  { python3 -m venv --clear "$venv" && "$venv/bin/pip" install -q \
    --disable-pip-version-check $packages; } >"$dir/log" 2>&1 9>&- ||
    skip "the tools cannot be installed: $(tail -n 1 "$dir/log")"
  touch "$venv/complete"
fi
"$bin/help2spec" --quiet true -o "$dir/true.json" 2>"$dir/log"
grep -q 'sandbox' "$dir/log" && skip "no sandbox here: $(cat "$dir/log")"

for tool in $tools; do
  name=${tool#*:}
  (cd / && HOME=/nonexistent timeout 120 "$OLDPWD/$venv/bin/python" "$OLDPWD/t/help_truth.py" \
    "$OLDPWD/$venv/bin/$name") </dev/null >"$dir/$name.truth" 2>"$dir/$name.log"
  if [ ! -s "$dir/$name.truth" ]; then
    echo "# $name: its parser cannot be read: $(tail -n 1 "$dir/$name.log")"
    continue
  fi
  if ! timeout 300 "$bin/help2spec" --quiet "$venv/bin/$name" -o "$dir/$name.json" 2>"$dir/$name.log"; then
    echo "# $name: $(cat "$dir/$name.log")"
    jq '{name: "'"$name"'", options: ([.commands[].options[].names[]] | length), failed: 1}' \
      "$dir/$name.truth" >>"$dir/counts"
    continue
  fi
  python3 t/help_accuracy.py -v "$dir/$name.truth" "$dir/$name.json" >"$dir/count" 2>"$dir/why" || exit 1
  sed "s/^/#   $name /" "$dir/why" | cut -c1-200
  jq -r '"# '"$name"': options \(.found)/\(.options), invented \(.invented), takes a value \(.value_right)/\(.value), accepted and defaults \(.stated_right)/\(.stated), commands \(.commands_found)/\(.commands), invented \(.commands_invented), positionals \(.arguments_right)/\(.arguments)"' "$dir/count"
  jq -c ". + {name: \"$name\"}" "$dir/count" >>"$dir/counts"
done

# check N TEXT JQ: over the sum of all tools.
total() {
  jq -s '[.[] | del(.name)] | map(to_entries) | add | group_by(.key)
    | map({key: .[0].key, value: (map(.value) | add)}) | from_entries' "$dir/counts"
}
total >"$dir/total"
sed 's/^/# /' "$dir/total"
check() {
  local ok=ok
  jq -e "$3" "$dir/total" >/dev/null || ok='not ok'
  echo "$ok $1 - $2"
}
echo 1..7
[ "$(jq -s length "$dir/counts")" -ge 25 ] && echo 'ok 1 - at least 25 tools' || echo 'not ok 1 - at least 25 tools'
check 2 'options found: 99 %' '.found >= .options * 0.99'
check 3 'options made up: none' '.invented == 0'
check 4 'takes a value: 99 %' '.value_right >= .value * 0.99'
check 5 'accepted values and defaults: 95 %' '.stated_right >= .stated * 0.95'
check 6 'commands found: 99 %, none made up' '.commands_found >= .commands * 0.99 and .commands_invented == 0'
check 7 'positionals: 95 %' '.arguments_right >= .arguments * 0.95'
