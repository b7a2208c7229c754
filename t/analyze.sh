#!/bin/bash
# analyze.sh TOOL [JOBS]: static analysis of every source file by cppcheck, gcc
# (-fanalyzer) or clang (clang-tidy with .clang-tidy).  Says what it finds; fails then.
cd "$(dirname "$0")/.." || exit 1
export flags='-std=c11 -Isrc -I. -D_GNU_SOURCE -DVERSION="0"'
jobs=${2:-2}

case $1 in
cppcheck)
  cppcheck --quiet --std=c11 -j"$jobs" --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1 \
    -Isrc -I. -D_GNU_SOURCE -D__x86_64__ -D__linux__ src kernels
  ;;
gcc)
  # Not the kernels: gcc 12 takes vectors for uninitialised memory.
  find src -name '*.c' | sort | xargs -P "$jobs" -n 1 \
    sh -c 'gcc $flags -fanalyzer -Werror -c -o /dev/null "$1"' sh
  ;;
clang)
  find src kernels -name '*.c' | sort | xargs -P "$jobs" -n 4 \
    sh -c 'clang-tidy --quiet "$@" -- $flags' sh
  ;;
*)
  echo "usage: analyze.sh cppcheck|gcc|clang [JOBS]" >&2
  exit 64
  ;;
esac
