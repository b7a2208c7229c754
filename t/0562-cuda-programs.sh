#!/bin/bash
# Whole training steps and rollouts on the CUDA table, run by the simulator, against the
# CPU's; and what a device that breaks leaves behind.
cd "$(dirname "$0")/.." || exit 1
echo 1..7
n=0
say() { # OK WHAT
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
spec=seeds/langgraph/cli.json
bin/seed2syn --spec $spec -n 300 --seed 1 --quiet seeds/langgraph/seeds.jsonl |
  bin/synvalidate --spec $spec --seed 1 --quiet --rejects "$dir/rejects" -o "$dir/data"
bin/newmodel --spec $spec --quiet --hidden 32 --heads 4 --kv-heads 2 --layers 1 --vocab 1300 \
  -o "$dir/init" "$dir/data"
zstdcat -f "$dir/data" | head -3 >"$dir/few"

# on VARIANT DEVICE PROGRAM...: with the simulator that was built like the programs.
on() {
  local bin=bin
  [ "$1" = san ] && bin=build/san/bin
  CUDA_PLUGIN=$PWD/build/$1/cudasim/device-cuda.so ASAN_OPTIONS=detect_leaks=0 "$bin/$3" \
    --device "$2" --quiet "${@:4}"
}
step() { # VARIANT DEVICE
  on "$1" "$2" sft-step -m "$dir/init" -o "$dir/sft-$1-$2" --steps 2 --batch-tokens 300 --seed 1 \
    --metrics "$dir/metrics-$1-$2" "$dir/data"
}
# same A B: losses and norms of gradients, to the five digits that bf16's rounding is no part of.
same() {
  jq -se '(map([.loss, .grad_norm]) | flatten) as $x | ($x | length) == 8 and
    ([range(4) | ($x[.] - $x[. + 4]) / $x[.] | fabs] | max) < 1e-5' "$1" "$2" >/dev/null
}

export CUDA_MATMUL_FP32=1
step release cpu && step release cuda && same "$dir/metrics-release-cpu" "$dir/metrics-release-cuda"
say $? "two training steps are those of the CPU"
step san cuda && same "$dir/metrics-release-cpu" "$dir/metrics-san-cuda"
say $? "so under ASan and UBSan, device memory hidden from the host"
CUDASIM_LAZY=1 CUDASIM_SCHED=rand on release cuda sft-step -m "$dir/init" -o "$dir/lazy" --steps 2 \
  --batch-tokens 300 --seed 1 "$dir/data" && cmp "$dir/lazy/model.safetensors" "$dir/sft-release-cuda/model.safetensors"
say $? "the same bytes in random order with lazy streams"
model=$dir/sft-release-cpu
for device in cpu cuda; do
  on release $device rollout --plain -m "$model" -g 3 --seed 1 "$dir/few" >"$dir/roll-$device"
done
[ -s "$dir/roll-cpu" ] && cmp <(jq -c .tokens "$dir/roll-cpu") <(jq -c .tokens "$dir/roll-cuda") &&
  jq -se '([.[].logprobs] | length) as $n | ([.[0:($n / 2)][].logprobs] | flatten) as $a |
    ([.[($n / 2):][].logprobs] | flatten) as $b | ($a | length) > 9 and
    ([range($a | length) | $a[.] - $b[.] | fabs] | max) < 1e-5' "$dir/roll-cpu" "$dir/roll-cuda" >/dev/null
say $? "a rollout draws the tokens that the CPU draws"
unset CUDA_MATMUL_FP32
on release cuda rollout --plain -m "$model" -g 3 --seed 1 "$dir/few" |
  bin/reward --plain --quiet --spec $spec >"$dir/rewarded"
on release cuda grpo-step -m "$model" -o "$dir/grpo" "$dir/rewarded"
[ $? = 0 ] && [ -f "$dir/grpo/model.safetensors" ]
say $? "a GRPO step with bf16 products on what such products sampled"
out=$(CUDASIM_FAIL=300 on release cuda sft-step -m "$dir/init" -o "$dir/broken" --steps 20 \
  --batch-tokens 300 --seed 1 "$dir/data" 2>&1)
[ $? = 69 ] && grep -q "the CUDA device failed in [a-z_]*: " <<<"$out" && [ "$(wc -l <<<"$out")" = 1 ]
say $? "a device that breaks: exit 69, the operation named"
[ ! -e "$dir/broken" ]
say $? "no checkpoint published"
