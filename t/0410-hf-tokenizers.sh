#!/bin/bash
# Ids and texts equal those of Hugging Face `tokenizers`.  Needs the virtual
# environment build/venv-cli, made here where PyPI can be reached.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
compare_tokenizers t/hf_tokenizers.py
