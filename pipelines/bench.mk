.PHONY: bench
bench: all tests ## speed and memory, side by side with peers (states the machine)
	@for b in t/bench*.sh; do bash "$$b" || exit 1; done
