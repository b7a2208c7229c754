#!/usr/bin/env bats
# modelpack: inspect, convert and pack, on what is well and what is not.
bats_require_minimum_version 1.5.0

setup() {
  bin=${BIN:-bin}
  dir=$BATS_TEST_TMPDIR
}

# A small model with its tokenizer.
make_model() {
  echo '{"request":"start the server on port 80","argv":["langgraph","up","--port","80"],"split":"train"}' |
    "$bin/newmodel" --spec seeds/langgraph/cli.json --hidden 16 --layers 1 --heads 2 --vocab 600 -o "$dir/model"
}

@test "inspect says what a GGUF file and a directory are" {
  run -0 --separate-stderr "$bin/modelpack" inspect testdata/gguf/models/qwen3.gguf
  [ "$(jq -r '[.form, .architecture, .layers, .heads, .kv_heads, .head_dim] | join(" ")' <<<"$output")" = \
    "gguf qwen3 2 4 2 8" ]
  gguf=$(jq 'del(.form)' <<<"$output")
  run -0 --separate-stderr "$bin/modelpack" inspect testdata/model/qwen3
  [ "$(jq 'del(.form)' <<<"$output")" = "$gguf" ]
  [ "$(jq -r .form <<<"$output")" = directory ]
}

@test "a packed directory is the same directory, and packs to the same bytes" {
  make_model
  "$bin/modelpack" pack "$dir/model" -o "$dir/a.tar.zst"
  "$bin/modelpack" convert "$dir/a.tar.zst" -o "$dir/again"
  for file in config.json model.safetensors tokenizer.json; do
    cmp "$dir/model/$file" "$dir/again/$file"
  done
  "$bin/modelpack" pack "$dir/model" -o "$dir/b.tar.zst"
  cmp "$dir/a.tar.zst" "$dir/b.tar.zst"
}

@test "what is not there, not a model or in the way" {
  run -66 --separate-stderr "$bin/modelpack" inspect "$dir/none"
  [[ $stderr == *"$dir/none"* ]]
  echo '{"model_type":"mamba"}' >"$dir/config.json"
  run -65 --separate-stderr "$bin/modelpack" inspect "$dir"
  [[ $stderr == *"$dir/config.json"*"'mamba', whose layers are not known here; known: llama, mistral"* ]]
  head -c 3000 testdata/gguf/models/tied.gguf >"$dir/short.gguf"
  run -65 --separate-stderr "$bin/modelpack" inspect "$dir/short.gguf"
  [[ $stderr == *"$dir/short.gguf"* ]]
  run -65 --separate-stderr "$bin/modelpack" convert testdata/gguf/models/tied.gguf -o "$dir/new"
  [[ $stderr == *"tied.gguf"*"tokenizer.ggml.model"* ]]
  [ -z "$(compgen -G "$dir/new*")" ]
  run -64 --separate-stderr "$bin/modelpack" convert testdata/model/tied -o "$dir"
  [[ $stderr == *"exists already"* ]]
}

@test "misuse" {
  run -64 "$bin/modelpack"
  run -64 "$bin/modelpack" inspect
  run -64 "$bin/modelpack" mangle testdata/model/tied
  run -64 "$bin/modelpack" inspect testdata/model/tied -o "$dir/x"
  run -64 "$bin/modelpack" convert testdata/model/tied
  run -64 "$bin/modelpack" pack testdata/gguf/models/tied.gguf -o "$dir/x"
  [ ! -e "$dir/x" ]
}
