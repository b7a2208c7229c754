#!/bin/bash
# bench_model.sh - tokens a second of the model on one thread: training flat, as a tree
# and with choices, and sampling, for the default widths; then the output head alone.
bench=${TEST_BIN:-build/release/t}/bench_model
head=${TEST_BIN:-build/release/t}/bench_head

echo "model: 4 layers, 4 heads, vocabulary 2300, one thread ($(nproc) cores," \
	"$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1))"
for hidden in 64 96; do
	echo "hidden $hidden"
	"$bench" 1 $hidden 1 2>/dev/null || exit 1
done
echo "output head, hidden 64: choices of the vocabulary"
"$head" 1 64 0.3 2>/dev/null
