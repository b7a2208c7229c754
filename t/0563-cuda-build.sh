#!/bin/bash
# The plug-in as nvcc builds it: no warning, nothing spilled, and on a machine without a
# driver it loads and says so.
cd "$(dirname "$0")/.." || exit 1
unset CUDA_PLUGIN MAKEFLAGS
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null)
if [ -z "$nvcc" ]; then
  echo "1..0 # SKIP nvcc is not there"
  exit 0
fi
echo 1..5
n=0
say() { # OK WHAT
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
dir=build/cuda-test
so=$dir/device-cuda.so
build=(make --no-print-directory CUDA_ARCH=90 CUDA_DIR=$dir CUDA_SO=$so)

out=$("${build[@]}" cuda 2>&1)
say $? "nvcc builds it: no warning, no spilled register"
[ -f $so ] || sed 's/^/# /' <<<"$out" | tail -5
"${build[@]}" cuda-table >$dir/table && [ "$(wc -l <$dir/table)" -gt 30 ] &&
  awk 'NR > 1 && ($(NF - 1) != 0 || $(NF - 3) > 255 || $NF > 49152) { exit 1 }' $dir/table
say $? "the table of kernels: within the registers and shared memory of a block"
model=$dir/nowhere
if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
  for what in "exit 69" "auto falls back" "no device opened"; do
    n=$((n + 1))
    echo "ok $n - $what # SKIP a driver is there"
  done
  exit 0
fi
out=$(CUDA_PLUGIN=$PWD/$so bin/propose --plain --device cuda -m $model 2>&1 </dev/null)
[ $? = 69 ] && [ "$(wc -l <<<"$out")" = 1 ] && grep -q "no NVIDIA driver here; CUDA [0-9.]* needs one; use --device cpu" <<<"$out"
say $? "without a driver: one message, exit 69"
out=$(CUDA_PLUGIN=$PWD/$so bin/propose --plain --device auto -m $model 2>&1 </dev/null)
grep -q "no NVIDIA driver here.*the CPU is used instead" <<<"$out" && grep -q "device: cpu" <<<"$out"
say $? "auto falls back aloud"
out=$(CUDA_PLUGIN=$PWD/$so bin/propose --plain --device cuda:x -m $model 2>&1 </dev/null)
[ $? = 64 ]
say $? "a device that is none: exit 64"
