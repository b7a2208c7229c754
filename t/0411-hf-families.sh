#!/bin/bash
# Ids and texts equal those of Hugging Face `tokenizers` for the tokenizers of the
# families of models that people have.  Needs the virtual environment build/venv-cli,
# made here where PyPI can be reached.  SPEED=1: prints how fast both are.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
helper=${TOKENIZE:-build/release/t/helper-tokenize}

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if ! venv_need tokenizers "$dir/log"; then
	echo "1..0 # SKIP tokenizers cannot be installed: $(tail -n 1 "$dir/log")"
	exit 0
fi
"$venv/bin/python" t/hf_families.py "$helper" "$dir"
