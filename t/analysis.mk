# Analysis of the sources, and of what the programs do with memory and threads.
ANALYZERS ?= cppcheck gcc clang
.PHONY: analyze
analyze: ## static analysis: cppcheck, gcc -fanalyzer, clang-tidy
	@for tool in $(ANALYZERS); do t/analyze.sh $$tool || exit 1; done

# A build for processors that valgrind knows (no AVX-512).
.PHONY: valgrind
valgrind: ## every program under memcheck, the threaded ones under helgrind
	@$(MAKE) --no-print-directory VARIANT=valgrind ARCH=x86-64-v3 all
	t/valgrind.sh build/valgrind/bin
