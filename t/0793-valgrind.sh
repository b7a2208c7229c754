#!/bin/bash
# Every program does a small real job under memcheck, and those with threads under helgrind:
# nothing found, nothing lost, and the exit status that the job has without them.
cd "$(dirname "$0")/.." || exit 1
. t/rl_helper.bash
# Valgrind 3.19 knows no AVX-512: a build of its own.
case $(uname -m) in
x86_64) arch=x86-64-v3 ;;
*) arch=native ;;
esac
BIN=build/valgrind/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
umask 022
if ! command -v valgrind >/dev/null ||
  ! make --no-print-directory -j2 VARIANT=valgrind ARCH=$arch all >"$dir/build" 2>&1; then
  echo "Bail out! valgrind is missing (make deps), or the build for it fails"
  tail -n 20 "$dir/build" | sed 's/^/# /'
  exit 1
fi
n=0
seen=' '

# check TOOL STATUS NAME ARGUMENT...: standard input and output are the caller's.
check() {
  local tool=$1 want=$2 name=$3 rc=0
  local options=(--quiet --error-exitcode=99 --trace-children=no --log-file="$dir/found.%p")
  shift 3
  [ "$tool" = memcheck ] && options+=(--leak-check=full --errors-for-leak-kinds=definite,indirect)
  rm -f "$dir"/found.*
  valgrind --tool="$tool" "${options[@]}" "$BIN/$name" "$@" 2>"$dir/said" || rc=$?
  n=$((n + 1))
  [ "$tool" = memcheck ] && seen+="$name "
  if [ "$rc" = "$want" ] && [ -z "$(cat "$dir"/found.*)" ]; then
    echo "ok $n - $tool $name ($rc)" >&3
  else
    echo "not ok $n - $tool $name: exit status $rc, not $want" >&3
    cat "$dir"/found.* "$dir/said" | head -n 60 | sed 's/^/# /' >&3
  fi
}
exec 3>&1 >/dev/null

spec=seeds/langgraph/cli.json
check memcheck 0 help2spec --quiet -o "$dir/cli.json" --from testdata/help argy
check memcheck 0 seed2syn --quiet --spec $spec -n 300 -o "$dir/syn.zst" seeds/langgraph/seeds.jsonl
check memcheck 0 synvalidate --quiet --spec $spec -o "$dir/valid.zst" "$dir/syn.zst"
check memcheck 0 datareport --spec $spec "$dir/valid.zst"
head -c 1000 "$dir/valid.zst" >"$dir/cut.zst"
check memcheck 65 synvalidate --quiet --spec $spec "$dir/cut.zst"
make_data >"$dir/data.jsonl"
check memcheck 0 newmodel --quiet --spec $spec --hidden 32 --layers 1 --heads 2 --vocab 600 \
  -o "$dir/init" "$dir/data.jsonl"
for tool in memcheck helgrind; do
  threads=$([ $tool = memcheck ] && echo 1 || echo 3)
  d=$dir/$tool
  mkdir "$d"
  check $tool 0 sft-step --quiet -m "$dir/init" -o "$d/start" --steps 2 --threads "$threads" "$dir/data.jsonl"
  check $tool 0 rollout --quiet --plain -m "$d/start" -g 4 -n 4 --seed 1 --threads "$threads" \
    "$dir/data.jsonl" >"$d/rollouts.jsonl"
  [ $tool = helgrind ] ||
    check memcheck 0 reward --quiet --spec $spec --plain "$d/rollouts.jsonl" >"$dir/rewarded.jsonl"
  check $tool 0 grpo-step --quiet -m "$dir/memcheck/start" -o "$d/stepped" --threads "$threads" "$dir/rewarded.jsonl"
  check $tool 0 propose --quiet --plain -m "$d/start" --threads "$threads" <<<"start the dev server on port 8123"
done

check memcheck 0 modelpack inspect "$dir/memcheck/start"
check memcheck 0 modelpack pack "$dir/memcheck/start" -o "$dir/start.tar.zst"

exe=(--spec testdata/exec/probe.json --policy "$dir/policy.json")
record='{"request":"say hello","proposal":["probe","args","hello"]}'
mkdir -m 755 "$dir/bin"
cp /usr/bin/true "$dir/bin/probe"
check memcheck 0 confirm-exec --pin "$dir/bin/probe" >"$dir/pinned.json"
jq '.rules = [{command: "probe args", decide: "auto"},
  {command: "probe *", argument: "*", decide: "auto"}]' "$dir/pinned.json" >"$dir/policy.json"
check memcheck 0 confirm-exec "${exe[@]}" --check-policy
check memcheck 0 confirm-exec "${exe[@]}" --dry-run --no-sandbox <<<"$record"
check memcheck 126 confirm-exec "${exe[@]}" --no-sandbox --audit "$dir/log/audit" <<<"$record"
check memcheck 0 confirm-exec "${exe[@]}" --no-sandbox --allow-auto --audit "$dir/log/audit" <<<"$record"
if bwrap --ro-bind / / --unshare-pid --unshare-net --dev /dev --proc /proc true 2>/dev/null; then
  check memcheck 0 confirm-exec "${exe[@]}" --allow-auto --audit "$dir/log/audit" <<<"$record"
fi
check memcheck 0 confirm-exec --verify-log "$dir/log/audit"

missing=
for program in src/*.c; do
  program=$(basename "$program" .c)
  [[ $seen == *" $program "* ]] || missing+=" $program"
done
n=$((n + 1))
echo "$([ -z "$missing" ] && echo ok || echo not ok) $n - every program was there${missing:+: not$missing}" >&3
echo "1..$n" >&3
