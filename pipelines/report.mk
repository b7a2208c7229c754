# How good a dataset is: in the terminal, and as one HTML page beside the data.

.PHONY: report-data
report-data: $(DATA) $(BIN)/datareport ## quality of the dataset: coverage, balance, variety, samples; also RUN/data.html
	$(BIN)/datareport --spec $(SPEC) --html $(RUN)/data.html \
		$(if $(wildcard $(RUN)/rejects.jsonl.zst),--rejects $(RUN)/rejects.jsonl.zst) $(DATA)
