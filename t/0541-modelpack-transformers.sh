#!/bin/bash
# SmolLM2 out of its GGUF file, as modelpack converts it and as transformers does: the same
# weights, tokens and greedy text.  What it needs is too large to be fetched by a test:
# make model MODEL=smollm2, and
# python3 -m venv build/venv && build/venv/bin/pip install torch transformers safetensors gguf
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-build/venv/bin/python3}
gguf=run/models/smollm2.gguf

if ! "$python" -c 'import torch, transformers, gguf' 2>/dev/null; then
	echo "1..0 # SKIP $python has no torch, transformers and gguf"
	exit 0
fi
if [ ! -f "$gguf" ]; then
	echo "1..0 # SKIP no $gguf (make model MODEL=smollm2)"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error
echo 1..1
if "${BIN:-bin}/modelpack" convert "$gguf" -o "$dir/model" 2>"$dir/err" &&
	PYTHONDONTWRITEBYTECODE=1 "$python" t/modelpack_check.py "$gguf" "$dir/model" 2>"$dir/err"; then
	echo "ok 1 - the same weights, tokens and text"
else
	tail -n 20 "$dir/err" | sed 's/^/# /'
	echo "not ok 1 - the same weights, tokens and text"
fi
