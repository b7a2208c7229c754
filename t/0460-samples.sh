#!/bin/bash
# Constrained samples of a random model are valid, canonical and grounded, and every
# answer of a dataset can be said, for the CLI of every spec in seeds/.
# SAMPLES (2,000) a spec over RECORDS (2,000) requests; the long run, some minutes:
#   SAMPLES=200000 RECORDS=20000 t/0460-samples.sh [CLI...]
cd "$(dirname "$0")/.." || exit 1
bin=${BIN:-bin} helper=${TEST_BIN:-build/release/t}/constrained_samples
samples=${SAMPLES:-2000} records=${RECORDS:-2000}
group=$(((samples + records - 1) / records))

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if [ $# = 0 ]; then
	set -- seeds/*/cli.json
	set -- "${@%/cli.json}"
	set -- "${@#seeds/}"
fi

one() {
	local spec=seeds/$1/cli.json
	"$bin/seed2syn" --quiet --spec "$spec" -n "$records" --seed 46 -o "$dir/$1.jsonl.zst" \
		"seeds/$1/seeds.jsonl" &&
		"$bin/newmodel" --quiet --spec "$spec" --hidden 16 --heads 2 --layers 1 \
			--vocab 4096 -o "$dir/$1" "$dir/$1.jsonl.zst" &&
		"$helper" "$dir/$1" "$dir/$1.jsonl.zst" "$samples" "$group"
}

echo "1..$#"
failed=0
for cli in "$@"; do
	if one "$cli" >"$dir/log" 2>&1; then
		echo "ok - $cli"
	else
		echo "not ok - $cli"
		failed=1
	fi
	sed 's/^\(# \)\?/# /' "$dir/log"
	rm -rf "${dir:?}/$cli" "$dir/$cli.jsonl.zst"
done
exit $failed
