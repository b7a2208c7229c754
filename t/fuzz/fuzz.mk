# Fuzz targets: every t/fuzz/NAME.c (see fuzz.h) is one.
FUZZ ?= $(filter-out replay,$(patsubst t/fuzz/%.c,%,$(wildcard t/fuzz/*.c)))
FUZZ_JOBS ?= 2
CLANG ?= clang

# For libFuzzer: a build of its own, by clang.
FUZZERS := $(FUZZ:%=$(OBJ)/t/fuzz/%)
.PHONY: fuzzers
fuzzers: $(FUZZERS)
ifeq ($(VARIANT),fuzz)
$(FUZZERS): %: %.o $(OBJ)/liball.a
	$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $< $(OBJ)/liball.a $(LIBS)
else
# For the tests: the same targets, run once on inputs that are kept.
$(FUZZERS): %: %.o $(OBJ)/t/fuzz/replay.o $(OBJ)/liball.a
	$(CC) $(LDFLAGS_ALL) -o $@ $< $(OBJ)/t/fuzz/replay.o $(OBJ)/liball.a $(LIBS)
tests: fuzzers
endif
-include $(FUZZERS:=.d) $(OBJ)/t/fuzz/replay.d

# T is also what `make check` calls the tests to run: only one from the command line
# is a number of seconds.
.PHONY: fuzz
fuzz: ## fuzz every parser for T=60 seconds each (FUZZ=NAME: that one; FUZZ_JOBS=2)
	@$(MAKE) --no-print-directory VARIANT=fuzz CC=$(CLANG) fuzzers
	t/fuzz/run $(if $(filter command,$(origin T)),$(T),60) $(FUZZ_JOBS) $(FUZZ)
