#!/bin/bash
# transformers loads what model_save() writes and computes the same logits.
# These packages are too large to be installed by a test; to have them:
# python3 -m venv build/venv && build/venv/bin/pip install torch transformers safetensors
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-build/venv/bin/python3}
dump=${TEST_BIN:-build/release/t}/model_dump

if ! "$python" -c 'import torch, transformers, safetensors' 2>/dev/null; then
	echo "1..0 # SKIP $python has no torch, transformers and safetensors"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error
echo 1..2
for tied in 0 1; do
	mkdir "$dir/$tied"
	if "$dump" "$dir/$tied" $tied && "$python" t/check_transformers.py "$dir/$tied" 2>"$dir/err"
	then
		echo "ok $((tied + 1)) - tied $tied"
	else
		sed 's/^/# /' "$dir/err"
		echo "not ok $((tied + 1)) - tied $tied"
	fi
done
