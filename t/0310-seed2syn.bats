#!/usr/bin/env bats
# seed2syn from outside: options, sameness, shards, bad specs and seeds, closed pipes.

setup() {
	BIN=${BIN:-bin}
	SPEC=seeds/langgraph/cli.json
	SEEDS=seeds/langgraph/seeds.jsonl
	cd "$BATS_TEST_DIRNAME/.."
}

@test "--help explains, --version tells" {
	run "$BIN/seed2syn" --help
	[ "$status" -eq 0 ]
	[[ $output == *--spec* && $output == *--report* && $output == *--from* ]]
	run "$BIN/seed2syn" --version
	[ "$status" -eq 0 ]
}

@test "misuse ends with 64" {
	run "$BIN/seed2syn"
	[ "$status" -eq 64 ]
	[[ $output == *--spec* ]]
	run "$BIN/seed2syn" --spec "$SPEC" --no-such-option
	[ "$status" -eq 64 ]
	run "$BIN/seed2syn" --spec "$SPEC" -n many
	[ "$status" -eq 64 ]
	run "$BIN/seed2syn" --spec "$SPEC" --out-of-scope 2
	[ "$status" -eq 64 ]
}

@test "a spec that is not there, or broken, is named" {
	run "$BIN/seed2syn" --spec "$BATS_TEST_TMPDIR/none.json" -n 1
	[ "$status" -eq 66 ]
	[[ $output == *none.json* ]]
	echo '{"opencli": "0.1", "info": {' >"$BATS_TEST_TMPDIR/broken.json"
	run "$BIN/seed2syn" --spec "$BATS_TEST_TMPDIR/broken.json" -n 1
	[ "$status" -eq 65 ]
	[[ $output == *broken.json* ]]
}

@test "a bad seed is named by file and line" {
	printf '%s\n' '{"request": "start dev", "argv": ["langgraph", "dev"]}' \
		'{"request": "fly", "argv": ["langgraph", "fly"]}' >"$BATS_TEST_TMPDIR/s.jsonl"
	run "$BIN/seed2syn" --spec "$SPEC" -n 1 "$BATS_TEST_TMPDIR/s.jsonl"
	[ "$status" -eq 65 ]
	[[ $output == *s.jsonl:2:*fly* ]]
	echo '{"request": "start dev"}' >"$BATS_TEST_TMPDIR/s.jsonl"
	run "$BIN/seed2syn" --spec "$SPEC" -n 1 "$BATS_TEST_TMPDIR/s.jsonl"
	[ "$status" -eq 65 ]
	[[ $output == *s.jsonl:1:*argv* ]]
	echo 'not json' >"$BATS_TEST_TMPDIR/s.jsonl"
	run "$BIN/seed2syn" --spec "$SPEC" -n 1 "$BATS_TEST_TMPDIR/s.jsonl"
	[ "$status" -eq 65 ]
	[[ $output == *s.jsonl:1:* ]]
	run "$BIN/seed2syn" --spec "$SPEC" -n 1 "$BATS_TEST_TMPDIR/none.jsonl"
	[ "$status" -eq 66 ]
}

@test "the same seed gives the same bytes, another one others" {
	"$BIN/seed2syn" --spec "$SPEC" -n 3000 --seed 4 -o "$BATS_TEST_TMPDIR/a" "$SEEDS"
	"$BIN/seed2syn" --spec "$SPEC" -n 3000 --seed 4 -o "$BATS_TEST_TMPDIR/b" "$SEEDS"
	"$BIN/seed2syn" --spec "$SPEC" -n 3000 --seed 5 -o "$BATS_TEST_TMPDIR/c" "$SEEDS"
	cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	run cmp -s "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/c"
	[ "$status" -eq 1 ]
}

@test "shards merge: --from K continues a shorter run" {
	"$BIN/seed2syn" --spec "$SPEC" -n 2000 --plain -o "$BATS_TEST_TMPDIR/all" "$SEEDS"
	"$BIN/seed2syn" --spec "$SPEC" -n 700 --plain -o "$BATS_TEST_TMPDIR/head" "$SEEDS"
	"$BIN/seed2syn" --spec "$SPEC" -n 1300 --from 700 --plain -o "$BATS_TEST_TMPDIR/tail" "$SEEDS"
	cat "$BATS_TEST_TMPDIR/head" "$BATS_TEST_TMPDIR/tail" >"$BATS_TEST_TMPDIR/merged"
	cmp "$BATS_TEST_TMPDIR/all" "$BATS_TEST_TMPDIR/merged"
}

@test "records have the fields of the contract, ids are distinct for distinct pairs" {
	"$BIN/seed2syn" --spec "$SPEC" -n 2000 --plain -o "$BATS_TEST_TMPDIR/all" "$SEEDS"
	run jq -es 'all(.[]; (.id | test("^[0-9a-f]{16}$")) and .cli == "langgraph"
		and (.request | length > 0) and ((.argv == null) or (.argv[0] == "langgraph"))
		and .origin.by == "seed2syn" and (.origin.template | length > 0)
		and ((.origin.kind == "out-of-scope") <= (.argv == null)))
		and (group_by(.id) | all(.[]; map([.request, .argv]) | unique | length == 1))' \
		"$BATS_TEST_TMPDIR/all"
	[ "$status" -eq 0 ]
}

@test "seeds stand as they are among the first records" {
	"$BIN/seed2syn" --spec "$SPEC" -n 1000 --plain -o "$BATS_TEST_TMPDIR/all" "$SEEDS"
	jq -c 'select(.origin.kind == "seed") | [.request, .argv]' "$BATS_TEST_TMPDIR/all" |
		sort >"$BATS_TEST_TMPDIR/got"
	jq -c '[.request, .argv]' "$SEEDS" | sort >"$BATS_TEST_TMPDIR/want"
	cmp "$BATS_TEST_TMPDIR/got" "$BATS_TEST_TMPDIR/want"
}

@test "the report proves the coverage and counts refusals" {
	"$BIN/seed2syn" --spec "$SPEC" -n 3000 --report "$BATS_TEST_TMPDIR/r.json" \
		-o "$BATS_TEST_TMPDIR/all" "$SEEDS"
	run jq -e '.records == 3000 and .out_of_scope_share > 0.08 and .out_of_scope_share < 0.12
		and all(.commands, .options, .values, .pairs;
			.total > 0 and .total == .covered and .missing == [])' "$BATS_TEST_TMPDIR/r.json"
	[ "$status" -eq 0 ]
	# The commands of the report are those that jq finds in the spec itself.
	run jq -e --slurpfile r "$BATS_TEST_TMPDIR/r.json" '
		def hidden: .hidden == true;
		def runnable: ((.commands // []) | length) == 0 or
			any(.metadata[]?; .name == "runnable" and .value == true);
		[.commands[] | select(hidden | not) | recurse(.commands[]? | select(hidden | not))
			| select(runnable)] | length == ($r[0].commands.total - 1)' "$SPEC"
	[ "$status" -eq 0 ]
}

@test "--out-of-scope sets the share of refusals" {
	"$BIN/seed2syn" --spec "$SPEC" -n 1000 --out-of-scope 0 --plain -o "$BATS_TEST_TMPDIR/x"
	run jq -es 'all(.[]; .argv != null)' "$BATS_TEST_TMPDIR/x"
	[ "$status" -eq 0 ]
	"$BIN/seed2syn" --spec "$SPEC" -n 1000 --out-of-scope 0.2 --plain -o "$BATS_TEST_TMPDIR/x"
	run jq -es 'map(select(.argv == null)) | length == 200' "$BATS_TEST_TMPDIR/x"
	[ "$status" -eq 0 ]
}

@test "a reader that has enough ends it quietly" {
	run bash -c "set -o pipefail; '$BIN/seed2syn' --spec '$SPEC' -n 1000000 --plain | head -n 5 | wc -l"
	[ "$status" -eq 0 ]
	[ "$output" -eq 5 ]
}

@test "a full disk is an error" {
	run bash -c "'$BIN/seed2syn' --spec '$SPEC' -n 100000 --plain >/dev/full"
	[ "$status" -eq 74 ]
}
