#!/bin/bash
# Spec and verifier against the real langgraph command: random argvs, right and
# damaged ones, are parsed by the package's own click commands, which run nothing.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
helper=${ARGV_FUZZ:-build/release/t/helper-argv-fuzz}
spec=seeds/langgraph/cli.json

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
version=$(jq -r .info.version "$spec") || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if ! venv_need "langgraph-cli==$version" "$dir/log"; then
	echo "1..0 # SKIP langgraph-cli $version cannot be installed: $(tail -n 1 "$dir/log")"
	exit 0
fi

for kind in right damaged; do
	"$helper" "$spec" "${SEED:-1}" "${COUNT:-4000}" $kind >"$dir/$kind" || exit 1
done
"$venv/bin/python" t/click_check.py "$spec" "$dir/right" "$dir/damaged"
