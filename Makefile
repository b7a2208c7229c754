# Builds the programs of src/*.c into bin/, everything else into build/.
# `make help` lists the targets; `make DEBUG=1` and `make SAN=1` build apart.

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

VERSION := 0.1.0
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
DESTDIR ?=

SAN ?=
DEBUG ?=
VARIANT ?= $(if $(SAN),san,$(if $(DEBUG),debug,release))
# Only the release build fills bin/; the others stay under build/VARIANT/bin.
OBJ := build/$(VARIANT)
BIN := $(if $(filter release,$(VARIANT)),bin,$(OBJ)/bin)

comma := ,
ARCH ?= native
# Programs that read what strangers wrote: addresses drawn at random, tables read-only
# once linked, no executable stack, checked copies, guarded stacks and jumps.
MULTIARCH := $(shell gcc -print-multiarch)
HARDEN := -fPIE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
	-fstack-clash-protection $(if $(filter x86_64%,$(MULTIARCH)),-fcf-protection=full) \
	$(if $(filter aarch64%,$(MULTIARCH)),-mbranch-protection=standard)
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack$(if $(filter x86_64%,$(MULTIARCH)),$(comma)-z$(comma)shstk)
OPT_release := -O3 -march=$(ARCH) -fno-math-errno -ffp-contract=fast -DNDEBUG $(HARDEN)
OPT_debug := -O0 -g3
OPT_san := -O1 -g -march=$(ARCH) -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all
OPT_valgrind := -O1 -g -march=$(ARCH) -fno-math-errno -DFOR_VALGRIND
OPT_fuzz := $(OPT_san) -fsanitize=fuzzer-no-link
# Loops are marked for SIMD by OpenMP's pragmas; its library comes with gcc only.
OPENMP := $(if $(filter fuzz,$(VARIANT)),-fopenmp-simd,-fopenmp)
CPPFLAGS_ALL := -Isrc -I. -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL := -std=c11 -Wall -Wextra -Werror -Wno-pass-failed -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla $(OPENMP) $(OPT_$(VARIANT)) $(CFLAGS)
LDFLAGS_ALL := $(OPENMP) $(if $(filter release,$(VARIANT)),$(HARDEN_LINK)) $(if $(filter san fuzz,$(VARIANT)),-fsanitize=address$(comma)undefined) \
	$(LDFLAGS)
# The serial build of OpenBLAS: kernels/cpu/ shares work among threads of its own, and
# the default build starts a thread for each core, which spin, in every program.
BLAS := $(wildcard /usr/lib/$(MULTIARCH)/openblas-serial)
LIBS := -ljansson -lzstd -larchive -lpcre2-8 \
	$(if $(BLAS),-L$(BLAS) -Wl$(comma)-rpath$(comma)$(BLAS)) -lopenblas -lnettle -ldl -lm

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
LIB_SRC := $(wildcard src/*/*.c kernels/cpu/*.c kernels/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o)
TEST_C := $(wildcard t/*.c)
TESTS := $(TEST_C:t/%.c=$(OBJ)/t/%)

.PHONY: all
all: $(PROGRAMS:%=$(BIN)/%) ## build the programs into bin/ (DEBUG=1, SAN=1: into build/)

# A change of compiler or flags rebuilds everything.
FLAGS_NOW := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LIBS)
ifneq ($(strip $(FLAGS_NOW)),$(strip $(file <$(OBJ)/flags)))
$(OBJ)/flags: FORCE
endif
$(OBJ)/flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' >$@
.PHONY: FORCE
FORCE:

$(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Arrays on the stack in inner loops are of fixed sizes; probing them costs a third of
# the sampling speed.
$(OBJ)/kernels/%.o: CFLAGS_ALL += -fno-stack-clash-protection

# Its results are bit for bit those of others, who round each product.
$(OBJ)/src/model/dequant.o: CFLAGS_ALL += -ffp-contract=off

$(OBJ)/liball.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $(LIB_OBJ)

$(PROGRAMS:%=$(BIN)/%): $(BIN)/%: $(OBJ)/src/%.o $(OBJ)/liball.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $< $(OBJ)/liball.a $(LIBS)

$(TESTS): $(OBJ)/t/%: $(OBJ)/t/%.o $(OBJ)/liball.a
	$(CC) $(LDFLAGS_ALL) -o $@ $< $(OBJ)/liball.a -lcmocka $(LIBS)

.PRECIOUS: $(OBJ)/%.o
-include $(LIB_OBJ:.o=.d) $(PROGRAMS:%=$(OBJ)/src/%.d) $(TESTS:=.d)


.PHONY: tests
tests: $(TESTS)
include t/faults.mk t/fuzz/fuzz.mk t/analysis.mk kernels/cuda/cuda.mk t/cudasim/cudasim.mk

# --- Chaining the programs -------------------------------------------------
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
include pipelines/dataset.mk pipelines/cli.mk pipelines/report.mk pipelines/train.mk pipelines/model.mk pipelines/eval.mk pipelines/bench.mk

# --- Tests -----------------------------------------------------------------
T ?= $(wildcard t/[0-9]*.bats t/[0-9]*.sh)
JOBS ?= 2
# Tests that call make must not take part in this one's job server.
.PHONY: check
check: all tests ## build everything, run all tests (T=FILE... for some of them)
	@$(MAKE) --no-print-directory SAN=1 all tests
	MAKEFLAGS='$(filter-out -j% --jobserver%,$(MAKEFLAGS))' OMP_NUM_THREADS=1 \
		ASAN_OPTIONS=detect_leaks=1 prove -j$(JOBS) --timer --exec t/tap \
		$(if $(filter command,$(origin T)),$(T),$(patsubst t/%.c,build/san/t/%,$(wildcard t/[0-9]*.c)) $(T))

# --- Installing, cleaning, help --------------------------------------------
.PHONY: deps
deps: ## install the Debian packages of packages.txt that are missing
	@missing=$$(while read -r p; do dpkg-query -W -f='$${Status}' "$$p" 2>/dev/null | \
		grep -q 'ok installed' || printf '%s ' "$$p"; done <packages.txt); \
	if [ -n "$$missing" ]; then \
		as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
		$$as_root apt-get update; \
		DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y \
			--no-install-recommends $$missing; \
	fi

$(OBJ)/man/%.1: $(BIN)/%
	@mkdir -p $(@D)
	help2man --no-info --output=$@ $<

.PHONY: man
man: $(PROGRAMS:%=$(OBJ)/man/%.1) ## manual pages from --help, in build/release/man

.PHONY: install
install: all man ## install programs, manuals and seeds (PREFIX=, DESTDIR=)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/cli-learn
	install -m 755 $(PROGRAMS:%=$(BIN)/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(PROGRAMS:%=$(OBJ)/man/%.1) $(DESTDIR)$(PREFIX)/share/man/man1
	cp -R seeds pipelines $(DESTDIR)$(PREFIX)/share/cli-learn

.PHONY: clean
clean: ## remove build/ and bin/ (run/ with data and models stays)
	rm -rf build bin

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
