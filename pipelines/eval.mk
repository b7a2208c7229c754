# Scores of policies on the test split: phrasings and option combinations that
# training never saw.  One greedy answer a request.

# How many of its records; 0: all.
TESTS_N ?= 0

$(RUN)/%.score.json: $(RUN)/% pipelines/score.jq | $(BIN)/rollout $(BIN)/reward
	$(BIN)/rollout -m $< --split test $(if $(filter-out 0,$(TESTS_N)),-n $(TESTS_N)) -g 1 --greedy --threads $(THREADS) $(DATA) | \
		$(BIN)/reward --spec $(SPEC) -o $(RUN)/$*.test.jsonl.zst
	zstdcat $(RUN)/$*.test.jsonl.zst | jq -n -c --arg name $* -f pipelines/score.jq >$@.new
	mv $@.new $@

SCORES = $(RUN)/start.score.json $(RUN)/policy.score.json $(RUN)/supervised.score.json

$(RUN)/table.txt: $(SCORES) pipelines/table.jq
	jq -s -r --arg seconds "$$(cat $(RUN)/grpo.seconds)" -f pipelines/table.jq $(SCORES) >$@.new
	mv $@.new $@

$(RUN)/learning.tsv: $(RUN)/policy
	jq -r '[.step, .reward_mean, .exact, .entropy] | @tsv' $(RUN)/grpo.metrics.jsonl >$@

$(RUN)/learning.svg: $(RUN)/learning.tsv pipelines/learning.gp
	gnuplot -e "data='$<'; terminal='svg size 800,480'; out='$@'" pipelines/learning.gp

# Requests that people wrote, kept apart from all training, where there are some.
PEOPLE := $(wildcard testdata/$(CLI)/people.jsonl)

$(RUN)/people.score.json: $(RUN)/policy $(PEOPLE) pipelines/score.jq | $(BIN)/rollout $(BIN)/reward
	$(BIN)/rollout -m $< -g 1 --greedy --threads $(THREADS) $(PEOPLE) | \
		$(BIN)/reward --spec $(SPEC) -o $(RUN)/people.test.jsonl.zst
	zstdcat $(RUN)/people.test.jsonl.zst | \
		jq -n -c --arg name "people's requests" -f pipelines/score.jq >$@.new
	mv $@.new $@

# What propose would do on the test split at each threshold.
$(RUN)/curve.txt: $(RUN)/policy pipelines/curve.jq | $(BIN)/propose $(BIN)/reward
	zstdcat $(DATA) | jq -c 'select(.split == "test")' | head -n $(if $(filter-out 0,$(TESTS_N)),$(TESTS_N),1000000) | \
		$(BIN)/propose -m $< --threads $(THREADS) --min-confidence 0 --danger-confidence 0 --plain | \
		jq -c '.answer = .proposal' | $(BIN)/reward --spec $(SPEC) --plain | \
		jq -n -r -f pipelines/curve.jq >$@.new
	mv $@.new $@

.PHONY: eval
eval: $(RUN)/policy.score.json $(if $(PEOPLE),$(RUN)/people.score.json) $(RUN)/curve.txt ## score the trained policy on the test split and on people's requests
	@jq -s -r --arg seconds '' -f pipelines/table.jq $(filter %.json,$^)
	@echo && cat $(RUN)/curve.txt

.PHONY: report
report: $(RUN)/table.txt $(RUN)/learning.tsv ## the table and the learning curve, in the terminal
	@cat $(RUN)/table.txt
	@gnuplot -e "data='$(RUN)/learning.tsv'; terminal='dumb size 79,24'; out='/dev/stdout'" \
		pipelines/learning.gp

.PHONY: demo
demo: $(RUN)/policy ## what the trained policy proposes for a few requests
	@$(BIN)/propose -m $(RUN)/policy --explain <pipelines/demo-$(CLI).txt
