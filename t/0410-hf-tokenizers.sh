#!/bin/bash
# Ids and texts equal those of Hugging Face `tokenizers`.  Needs the virtual
# environment build/venv-cli, made here where PyPI can be reached.
cd "$(dirname "$0")/.." || exit 1
venv=build/venv-cli
helper=${TOKENIZE:-build/release/t/helper-tokenize}

if [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $helper is not built (make tests)"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Another test may be making the same environment just now.
mkdir -p build
exec 9>build/venv-cli.lock
flock 9
if ! "$venv/bin/python" -c 'import tokenizers' 2>/dev/null; then
	[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" >"$dir/log" 2>&1
	if ! "$venv/bin/pip" install -q tokenizers >>"$dir/log" 2>&1; then
		echo "1..0 # SKIP tokenizers cannot be installed: $(tail -n 1 "$dir/log")"
		exit 0
	fi
fi
flock -u 9
"$venv/bin/python" t/hf_tokenizers.py "$helper" "$dir"
