# Analysis of the sources, and of what the programs do with memory and threads.
ANALYZERS ?= cppcheck gcc clang
.PHONY: analyze
analyze: ## static analysis: cppcheck, gcc -fanalyzer, clang-tidy
	@for tool in $(ANALYZERS); do t/analyze.sh $$tool || exit 1; done

.PHONY: valgrind
valgrind: ## every program under memcheck, the threaded ones under helgrind
	bash t/0793-valgrind.sh
