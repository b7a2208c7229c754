# A model from the dataset: a short supervised start, then GRPO as one pipeline
# closed through the file system, and beside it, for comparison, the same time of
# further supervised training.

HIDDEN ?= 96
LAYERS ?= 4
HEADS ?= 6
VOCAB ?= 2048
START_STEPS ?= 3000
STEPS ?= 400
BATCH ?= 128
GROUP ?= 16
LIVE ?= 192
LAG ?= 1
THREADS ?= 2

NEWMODEL_FLAGS ?= --hidden $(HIDDEN) --layers $(LAYERS) --heads $(HEADS) --vocab $(VOCAB)
SFT_FLAGS ?=
# The start is not cooled down to the end: reinforcement learning goes on from there
# and takes the rates down, as one schedule over both would.
START_FLAGS ?= --floor 0.4
# Large batches and rates near those of supervised training: with small ones the
# noise of the few groups that are alive eats the gain.  The reward is graded, so
# advantages are scaled over the batch: within a group where all fail, dividing by
# the group's own small deviation would make a refusal look like a success.
ROLLOUT_FLAGS ?= --live $(LIVE) --merge-same --bpe-dropout 0.05
GRPO_FLAGS ?= --scale batch --lr 1.4e-3 --muon-lr 7e-3 --schedule cosine --warmup 0.02 --floor 0.05

.PHONY: train
train: ## dataset, supervised start, GRPO, and the table (STEPS= SEED= ...)
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@$(MAKE) --no-print-directory $(RUN)/table.txt $(RUN)/learning.svg
	@cat $(RUN)/table.txt

$(RUN)/init: $(DATA) $(BIN)/newmodel
	rm -rf $@
	$(BIN)/newmodel --spec $(SPEC) --seed $(SEED) $(NEWMODEL_FLAGS) -o $@ $(DATA)

$(RUN)/start: $(RUN)/init $(BIN)/sft-step
	rm -rf $@
	$(BIN)/sft-step -m $< -o $@ --steps $(START_STEPS) --seed $(SEED) --threads $(THREADS) \
		--metrics $(RUN)/start.metrics.jsonl $(START_FLAGS) $(SFT_FLAGS) $(DATA)

# Killed at any instant, the same command goes on from the newest published step.
$(RUN)/policy: $(RUN)/start $(BIN)/rollout $(BIN)/reward $(BIN)/grpo-step
	@mkdir -p $(RUN)/grpo
	start=$$(date +%s.%N); \
	$(BIN)/rollout --follow $(RUN)/grpo --steps $(STEPS) --batch $(BATCH) -g $(GROUP) --lag $(LAG) \
		--seed $(SEED) --threads $(THREADS) --plain --quiet $(ROLLOUT_FLAGS) $(DATA) | \
	$(BIN)/reward --spec $(SPEC) --plain | \
	$(BIN)/grpo-step -m $< --publish $(RUN)/grpo --steps $(STEPS) --lag $(LAG) --seed $(SEED) \
		--threads 1 --metrics $(RUN)/grpo.metrics.jsonl $(GRPO_FLAGS); \
	awk -v a="$$start" -v b="$$(date +%s.%N)" 'BEGIN {printf "%.3f\n", b - a}' >$(RUN)/grpo.seconds
	rm -rf $@ $@.new
	cp -R $(RUN)/grpo/step-$(STEPS) $@.new
	mv $@.new $@

$(RUN)/supervised: $(RUN)/policy
	rm -rf $@
	$(BIN)/sft-step -m $(RUN)/start -o $@ --seconds $$(cat $(RUN)/grpo.seconds) --seed $(SEED) \
		--threads $(THREADS) --metrics $(RUN)/supervised.metrics.jsonl $(SFT_FLAGS) $(DATA)
