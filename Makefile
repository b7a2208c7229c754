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
VARIANT := $(if $(SAN),san,$(if $(DEBUG),debug,release))
# Only the release build fills bin/; the others stay under build/VARIANT/bin.
OBJ := build/$(VARIANT)
BIN := $(if $(filter release,$(VARIANT)),bin,$(OBJ)/bin)

ARCH ?= native
OPT_release := -O3 -march=$(ARCH) -fno-math-errno -DNDEBUG
OPT_debug := -O0 -g3
OPT_san := -O1 -g -march=$(ARCH) -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all
CPPFLAGS_ALL := -Isrc -I. -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL := -std=c11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -fopenmp $(OPT_$(VARIANT)) $(CFLAGS)
LDFLAGS_ALL := -fopenmp $(if $(SAN),-fsanitize=address$(comma)undefined) $(LDFLAGS)
comma := ,
LIBS := -ljansson -lzstd -larchive -lpcre2-8 -lopenblas -lmd -ldl -lm

PROGRAMS := $(patsubst src/%.c,%,$(wildcard src/*.c))
LIB_SRC := $(wildcard src/*/*.c kernels/cpu/*.c kernels/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o)
TEST_C := $(wildcard t/*.c)
TESTS := $(TEST_C:t/%.c=$(OBJ)/t/%)

.PHONY: all
all: $(PROGRAMS:%=$(BIN)/%)

# A change of compiler or flags rebuilds everything.
FLAGS_NOW := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)
$(OBJ)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: FORCE
FORCE:

$(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

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
