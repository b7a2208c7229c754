#!/usr/bin/env bats
# The programs are built so that a fault is hard to use.

setup() {
  BIN=${BIN:-bin}
  case $BIN in bin) ;; *) skip "the release build only" ;; esac
}

# each CHECK...: it holds for every program; $p is its path.
each() {
  local bad=0 p
  for p in "$BIN"/*; do
    "$@" "$p" || {
      echo "# $p: $*"
      bad=1
    }
  done
  [ $bad = 0 ]
}

shows() { # TOOL OPTION PATTERN FILE
  "$1" "$2" "$4" | grep -qE -- "$3"
}

lacks() {
  ! shows "$@"
}

@test "addresses are drawn at random: position-independent" {
  each shows readelf -hW 'Type: +DYN'
  each shows readelf -dW 'FLAGS_1.*\bPIE\b'
}

@test "tables are read-only once linked" {
  each shows readelf -lW GNU_RELRO
  each shows readelf -dW '\bBIND_NOW\b'
}

@test "no stack is executable, no segment both written and executed" {
  each shows readelf -lW 'GNU_STACK .* RW +0x'
  each lacks readelf -lW 'LOAD .* RWE'
}

@test "copies are checked, stacks guarded" {
  each shows readelf -sW '__stack_chk_fail'
  each shows readelf -sW '__[a-z]+_chk'
  grep -q -- '-D_FORTIFY_SOURCE=3' build/release/flags
}

@test "jumps and returns are guarded where the processor can" {
  [ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
  each shows readelf -nW SHSTK
  for p in "$BIN"/*; do
    objdump -d --disassemble=main "$p" | grep -q endbr64
  done
}
