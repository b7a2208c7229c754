#!/bin/bash
# valgrind.sh BIN: every program on small inputs under memcheck (leaks count), and the
# ones with threads under helgrind.  Prints a line each; fails where one was found.
cd "$(dirname "$0")/.." || exit 1
BIN=$1
. t/rl_helper.bash
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
status=0

# check TOOL NAME OPTION... [REDIRECTIONS by the caller]
check() {
  local tool=$1 name=$2 options=(--quiet --error-exitcode=99 --trace-children=no
    --log-file="$dir/found") rc=0
  shift 2
  [ "$tool" = memcheck ] && options+=(--leak-check=full --errors-for-leak-kinds=definite,indirect)
  valgrind --tool="$tool" "${options[@]}" "$BIN/$name" "$@" || rc=$?
  if [ -s "$dir/found" ] || [ $rc = 99 ]; then
    echo "not ok - $tool $name (exit status $rc)" >&2
    cat "$dir/found" >&2
    status=1
  else
    echo "ok - $tool $name (exit status $rc)" >&2
  fi
}

spec=seeds/langgraph/cli.json
check memcheck seed2syn --quiet --spec $spec -n 300 -o "$dir/syn.zst" seeds/langgraph/seeds.jsonl
check memcheck synvalidate --quiet --spec $spec -o "$dir/valid.zst" "$dir/syn.zst"
make_data >"$dir/data.jsonl"
for tool in memcheck helgrind; do
  threads=$([ $tool = memcheck ] && echo 1 || echo 3)
  d=$dir/$tool
  mkdir "$d"
  check memcheck newmodel --quiet --spec $spec --hidden 32 --layers 1 --heads 2 --vocab 600 \
    -o "$d/init" "$dir/data.jsonl"
  check $tool sft-step --quiet -m "$d/init" -o "$d/start" --steps 2 --threads "$threads" "$dir/data.jsonl"
  check $tool rollout --quiet --plain -m "$d/start" -g 4 -n 4 --seed 1 --threads "$threads" \
    "$dir/data.jsonl" >"$d/rollouts.jsonl"
  check memcheck reward --quiet --spec $spec --plain "$d/rollouts.jsonl" >"$d/rewarded.jsonl"
  check $tool grpo-step --quiet -m "$d/start" -o "$d/stepped" --threads "$threads" "$d/rewarded.jsonl"
  check $tool propose --quiet -m "$d/start" --threads "$threads" <<<"start the dev server on port 8123" >"$d/proposal"
done
mkdir -m 755 "$dir/bin"
cp /usr/bin/true "$dir/bin/probe"
check memcheck confirm-exec --pin "$dir/bin/probe" >"$dir/policy.json"
check memcheck confirm-exec --spec testdata/exec/probe.json --dry-run --no-sandbox --policy "$dir/policy.json" \
  >"$dir/out" <<<'{"proposal":["probe","args","hello"]}'
printf '{"proposal":["probe","args","hello"]}' >"$dir/record"
check memcheck confirm-exec --spec testdata/exec/probe.json --no-sandbox --policy "$dir/policy.json" \
  --audit "$dir/log/audit" <"$dir/record" >"$dir/out"
check memcheck confirm-exec --verify-log "$dir/log/audit" >"$dir/out"
exit $status
