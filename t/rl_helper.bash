# What the tests of newmodel, sft-step, rollout and grpo-step share.
BIN=${BIN:-bin}
SPEC=seeds/langgraph/cli.json

# 600 records of five kinds, the last ones of the test split.
make_data() {
  jq -n -c '
    def pick($list; $i): $list[$i % ($list | length)];
    ["start", "run", "launch", "bring up", "please start", "can you run"] as $verbs
    | range(600) as $i
    | (1024 + ($i * 7919) % 8000 | tostring) as $port
    | ("10.0.\($i % 250).\(1 + $i % 99)") as $host
    | pick($verbs; $i * 13 / 5 | floor) as $verb
    | pick([
        {request: "\($verb) the dev server on port \($port)",
         argv: ["langgraph", "dev", "--port", $port]},
        {request: "\($verb) the api with docker on port \($port)",
         argv: ["langgraph", "up", "--port", $port]},
        {request: "build an image called app:\($i)",
         argv: ["langgraph", "build", "--tag", "app:\($i)"]},
        {request: "\($verb) the dev server on host \($host) and port \($port)",
         argv: ["langgraph", "dev", "--host", $host, "--port", $port]},
        {request: pick(["order a pizza", "what is the weather in paris", "delete my files"]; $i / 5 | floor),
         argv: null}]; $i)
    | {id: "r\($i)", cli: "langgraph"} + . + {split: (if $i < 540 then "train" else "test" end)}'
}

# make_start DIR: data.jsonl, a new model init/ and a briefly trained one start/.
make_start() {
  make_data >"$1/data.jsonl" &&
    "$BIN/newmodel" --quiet --spec $SPEC --hidden 32 --layers 2 --heads 2 --vocab 640 --seed 1 \
      -o "$1/init" "$1/data.jsonl" &&
    "$BIN/sft-step" --quiet -m "$1/init" -o "$1/start" --steps 100 --threads 1 "$1/data.jsonl"
}

# A reward as short as can be, with a share of partial credit.
score() {
  jq -c --unbuffered '.reward = if has("answer") and .answer == .argv then 1
    elif has("answer") and (.answer | type) == "array" then -0.5 else -1 end'
}

# loop RUN STEPS [LAG]: the closed loop over $DIR.
loop() {
  "$BIN/rollout" --quiet --plain --follow "$1" --steps "$2" --batch 8 -g 4 --lag "${3:-0}" --seed 5 \
    --threads 1 "$DIR/data.jsonl" | score |
    "$BIN/grpo-step" --quiet -m "$DIR/start" --publish "$1" --steps "$2" --lag "${3:-0}" --seed 5 \
      --threads 1 --lr 1e-3 --muon-lr 5e-3 --metrics "$1.metrics.jsonl"
  echo "${PIPESTATUS[*]}" >"$1.status"
}

# Figures that do not depend on the clock.
figures() {
  jq -c 'del(.seconds, .peak_memory, .tokens_per_second)' "$1"
}
