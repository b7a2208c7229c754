# Seeds and spec to a validated dataset, split into train, valid and test.

CLI ?= langgraph
N ?= 150000
SEED ?= 1
RUN ?= run/$(CLI)-$(SEED)
# How requests are written: --difficulty, --units, ... (seed2syn --help).
SYNTH_FLAGS ?=
SPEC := seeds/$(CLI)/cli.json
SEEDS := seeds/$(CLI)/seeds.jsonl
DATA := $(RUN)/data.jsonl.zst

.PHONY: dataset
dataset: $(DATA) ## synthesise and validate N pairs (CLI= N= SEED= SYNTH_FLAGS=)

$(DATA): $(SPEC) $(SEEDS) $(BIN)/seed2syn $(BIN)/synvalidate
	@mkdir -p $(RUN)
	$(BIN)/seed2syn --spec $(SPEC) -n $(N) --seed $(SEED) $(SYNTH_FLAGS) --report $(RUN)/coverage.json $(SEEDS) | \
		$(BIN)/synvalidate --spec $(SPEC) --seed $(SEED) --rejects $(RUN)/rejects.jsonl.zst -o $@
