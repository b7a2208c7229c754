# A tool that nobody prepared: its spec from its own help, and no seeds yet.

# HELP_FROM=DIR: saved help texts, so that nothing is run.
HELP_FROM ?=
PROGRAM ?= $(CLI)

.PHONY: cli
cli: $(SPEC) $(SEEDS) ## learn CLI=NAME from its own help into seeds/NAME (PROGRAM= HELP_FROM=)

# Without prerequisites: a spec that is there, learned or written, is left alone.
$(SPEC): | $(BIN)/help2spec
	@mkdir -p $(@D)
	$(BIN)/help2spec $(if $(HELP_FROM),--from $(HELP_FROM)) $(PROGRAM) -o $@

$(SEEDS):
	@mkdir -p $(@D)
	: >$@
