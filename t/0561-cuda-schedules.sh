#!/bin/bash
# The operations of the CUDA table under other orders of threads and blocks, with lazy
# streams, and on machines that lack what they need.
cd "$(dirname "$0")/.." || exit 1
test=build/release/t/0560-cuda-operations
plugin=$PWD/build/release/cudasim/device-cuda.so
echo 1..19
n=0
say() { # OK WHAT
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
CUDASIM_SCHED=rev $test >/dev/null 2>&1
say $? "reverse"
for seed in 1 2 3 4 5 6 7 8 9 10; do
  CUDASIM_SCHED=rand CUDASIM_SEED=$seed $test >/dev/null 2>&1
  say $? "random order, seed $seed"
done
CUDASIM_LAZY=1 $test >/dev/null 2>&1
say $? "lazy streams"

# refused PATTERN: --device cuda ends with 69 and one line that says this.
refused() {
  local out code
  out=$(bin/propose --plain --quiet --device cuda -m "$model" 2>&1 </dev/null)
  code=$?
  [ $code = 69 ] && [ "$(wc -l <<<"$out")" = 1 ] && grep -q "$1" <<<"$out"
  say $? "exit 69: $1"
  [ $code = 69 ] || echo "# $code $out"
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
model=$dir/model
bin/seed2syn --spec seeds/langgraph/cli.json -n 300 --seed 1 --quiet seeds/langgraph/seeds.jsonl |
  bin/synvalidate --spec seeds/langgraph/cli.json --seed 1 --quiet --rejects "$dir/rejects" |
  bin/newmodel --spec seeds/langgraph/cli.json --quiet -o "$model"
unset CUDA_PLUGIN
CUDA_PLUGIN=/nowhere/device-cuda.so refused "/nowhere/device-cuda.so"
export CUDA_PLUGIN=$plugin
CUDASIM_DRIVER=0 refused "no NVIDIA driver here"
CUDASIM_DRIVER=12040 refused "CUDA 12.4, CUDA 13.0 is needed"
CUDASIM_DEVICES=0 refused "CUDA device 0 wanted, 0 here"
CUDASIM_COMPUTE=75 refused "capability 7.5, 8.0 is needed"
CUDASIM_MEMORY=1000 refused "not enough device memory"
out=$(CUDASIM_DRIVER=0 bin/propose --plain --device auto -m "$model" 2>&1 </dev/null)
[ $? = 0 ] && grep -q "no NVIDIA driver here.*the CPU is used instead" <<<"$out"
say $? "auto falls back aloud"
