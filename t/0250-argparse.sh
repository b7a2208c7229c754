#!/bin/bash
# The verifier against Python's own argparse and optparse on random argvs.
cd "$(dirname "$0")/.." || exit 1
helper=${ARGV_FUZZ:-build/release/t/helper-argv-fuzz}

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
	echo "1..0 # SKIP needs Python 3.11: other versions' argparse reads '--' otherwise"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 1..4
at=0
for dialect in argparse optparse; do
	for kind in right damaged; do
		"$helper" testdata/cli/$dialect.json "${SEED:-1}" "${COUNT:-4000}" $kind \
			>"$dir/$kind" || exit 1
	done
	python3 t/argparse_check.py testdata/cli/$dialect.json "$dir/right" "$dir/damaged" \
		>"$dir/out" || cat "$dir/out"
	while IFS= read -r line; do
		case $line in
		ok*) at=$((at + 1)) && echo "ok $at${line#ok [0-9]}" ;;
		not\ ok*) at=$((at + 1)) && echo "not ok $at${line#not ok [0-9]}" ;;
		1..*) ;;
		*) echo "$line" ;;
		esac
	done <"$dir/out"
done
