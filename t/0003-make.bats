#!/usr/bin/env bats
# The build itself: what a person types at the top of the tree.

@test "make help lists the targets" {
  run make -s help
  [ "$status" -eq 0 ]
  for target in all check deps dataset train eval report demo bench install clean; do
    grep -qE "^ +$target " <<<"$output"
  done
}

@test "make deps does nothing where everything is there" {
  run make -s deps
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "nothing is rebuilt the second time" {
  run make -q all
  [ "$status" -eq 0 ]
}

@test "make install puts programs, manuals and seeds under PREFIX" {
  run make -s install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr
  [ "$status" -eq 0 ]
  for program in seed2syn synvalidate rollout reward grpo-step sft-step newmodel propose confirm-exec; do
    [ -x "$BATS_TEST_TMPDIR/root/usr/bin/$program" ]
    [ -s "$BATS_TEST_TMPDIR/root/usr/share/man/man1/$program.1" ]
  done
  [ -s "$BATS_TEST_TMPDIR/root/usr/share/cli-learn/seeds/langgraph/cli.json" ]
}
