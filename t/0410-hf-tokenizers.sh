#!/bin/sh
# Ids and texts equal those of Hugging Face `tokenizers`.  Needs the virtual
# environment build/venv-cli, made here where PyPI can be reached.
venv=build/venv-cli
helper=${TOKENIZE:-build/release/t/helper-tokenize}

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
if ! "$venv/bin/python" -c 'import tokenizers' 2>/dev/null; then
	if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q tokenizers; } >/dev/null 2>&1; then
		echo "1..0 # SKIP Python's tokenizers cannot be installed into $venv"
		exit 0
	fi
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$venv/bin/python" t/hf_tokenizers.py "$helper" "$dir"
