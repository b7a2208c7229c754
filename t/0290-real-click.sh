#!/bin/bash
# Spec and verifier against the real langgraph command: random argvs, right and
# damaged ones, are parsed by the package's own click commands, which run nothing.
cd "$(dirname "$0")/.." || exit 1
venv=build/venv-cli
helper=${ARGV_FUZZ:-build/release/t/helper-argv-fuzz}
spec=seeds/langgraph/cli.json

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
version=$(jq -r .info.version "$spec") || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Another test may be making the same environment just now.
installed() {
	"$venv/bin/python" -c "import importlib.metadata as m
assert m.version('langgraph-cli') == '$version'" 2>/dev/null
}
mkdir -p build
exec 9>build/venv-cli.lock
flock 9
if ! installed; then
	[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" >"$dir/log" 2>&1
	if ! "$venv/bin/pip" install -q "langgraph-cli==$version" >>"$dir/log" 2>&1; then
		echo "1..0 # SKIP langgraph-cli $version cannot be installed: $(tail -n 1 "$dir/log")"
		exit 0
	fi
fi
flock -u 9

for kind in right damaged; do
	"$helper" "$spec" "${SEED:-1}" "${COUNT:-4000}" $kind >"$dir/$kind" || exit 1
done
"$venv/bin/python" t/click_check.py "$spec" "$dir/right" "$dir/damaged"
