#!/bin/bash
# bench_model.sh - tokens a second of the model on one thread: training flat and as a
# tree, and sampling, for the default widths.
bench=${TEST_BIN:-build/release/t}/bench_model

echo "model: 4 layers, 4 heads, vocabulary 2300, one thread ($(nproc) cores," \
	"$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1))"
for hidden in 64 96; do
	echo "hidden $hidden"
	"$bench" 1 $hidden 1 2>/dev/null || exit 1
done
