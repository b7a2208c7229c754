# How good a dataset is: in the terminal, and as one HTML page beside the data.

.PHONY: report-data
report-data: $(DATA) $(BIN)/datareport ## quality of the dataset: coverage, balance, variety, samples; also RUN/data.html
	$(BIN)/datareport --spec $(SPEC) --html $(RUN)/data.html \
		$(if $(wildcard $(RUN)/rejects.jsonl.zst),--rejects $(RUN)/rejects.jsonl.zst) $(DATA)

# The whole of what t/0325-linter.sh does in small: over 100,000 records of each spec, the
# usual ones and the hardest.
.PHONY: lint-data
lint-data: $(BIN)/seed2syn $(BIN)/synvalidate ## lint over 100,000 generated records of every spec in seeds/
	BIN=$(BIN) COUNT=112000 bash t/0325-linter.sh
