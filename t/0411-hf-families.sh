#!/bin/bash
# Ids and texts equal those of Hugging Face `tokenizers` for the tokenizers of the
# families of models that people have.  Needs the virtual environment build/venv-cli,
# made here where PyPI can be reached.  SPEED=1: prints how fast both are.
cd "$(dirname "$0")/.." || exit 1
source t/venv_cli.bash
compare_tokenizers t/hf_families.py
