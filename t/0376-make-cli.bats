# make cli dataset: from saved help alone, no seeds, to a validated dataset.

@test "a spec that is learned gives a dataset, without seeds" {
  dir=$BATS_TEST_TMPDIR
  for name in clicky argy gnuish snake boxed; do
    run make -s cli dataset CLI=$name HELP_FROM=testdata/help N=600 RUN="$dir/$name" \
      SPEC="$dir/$name.json" SEEDS="$dir/$name.jsonl"
    echo "$output"
    [ "$status" -eq 0 ]
    zstdcat "$dir/$name/data.jsonl.zst" >"$dir/data"
    [ "$(wc -l <"$dir/data")" -ge 100 ]
    run jq -se 'map(.split) | unique | length >= 2' "$dir/data"
    [ "$status" -eq 0 ]
  done
}

@test "a spec that is there is left alone" {
  dir=$BATS_TEST_TMPDIR
  echo mine >"$dir/x.json"
  run make -s cli CLI=clicky HELP_FROM=testdata/help SPEC="$dir/x.json" SEEDS="$dir/x.jsonl"
  [ "$status" -eq 0 ]
  [ "$(cat "$dir/x.json")" = mine ]
}
