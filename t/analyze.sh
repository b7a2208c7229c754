#!/bin/bash
# analyze.sh TOOL [JOBS]: static analysis of every source file by cppcheck, gcc
# (-fanalyzer) or clang (clang-tidy with .clang-tidy).  Says what it finds; fails then.
# ANALYZE_NODES: how many states clang's analyzer follows a function through (225000, as is
# its default; fewer are faster).
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
export flags='-std=c11 -Isrc -I. -D_GNU_SOURCE -DVERSION="0"'
export budget="-Xclang -analyzer-config -Xclang max-nodes=${ANALYZE_NODES:-225000}"
jobs=${2:-2}

have() {
  command -v "$1" >/dev/null && return
  echo "analyze.sh: $1 is not installed (make deps)" >&2
  exit 69
}

case ${1:-} in
cppcheck)
  have cppcheck
  # identicalInnerCondition: takes "if (p) return p;" for one.
  cppcheck --quiet --std=c11 -j"$jobs" --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem --suppress=identicalInnerCondition \
    --error-exitcode=1 -Isrc -I. -D_GNU_SOURCE -D__x86_64__ -D__linux__ src kernels
  ;;
gcc)
  have gcc
  # Not the kernels: gcc 12 takes vectors for uninitialised memory.
  find src -name '*.c' | sort | xargs -P "$jobs" -n 1 \
    sh -c 'gcc $flags -fanalyzer -Werror -c -o /dev/null "$1"' sh
  ;;
clang)
  have clang-tidy
  # It counts what it does not show, too; that is all that is left out here.
  find src kernels -name '*.c' | sort | xargs -P "$jobs" -n 4 \
    sh -c 'clang-tidy --quiet "$@" -- $flags $budget' sh 2>&1 | sed '/^[0-9]* warnings\? generated\.$/d'
  ;;
*)
  echo "usage: analyze.sh cppcheck|gcc|clang [JOBS]" >&2
  exit 64
  ;;
esac
