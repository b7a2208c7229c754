#!/usr/bin/env bats
# Typed options, and the one line that every message is.

setup() {
  helper=${HELPERS:-build/release/t}/helper-options
}

@test "values within their range" {
  run "$helper" -i 5 --integer=-5 --real 0.25 --seed 9223372036854775807 --choice graded
  [ "$status" -eq 0 ]
  [ "$output" = $'5\n-5\n0.25\n9223372036854775807\n1' ]
}

@test "other values are exit 64, named by their option" {
  for bad in "--integer 6" "--integer -6" "--integer 1x" "--integer 0x1" "--integer 1.0" \
    "--real 1.1" "--real nan" "--real 0x1p-1" "--real x" "--seed -1" "--seed 9223372036854775808" \
    "--choice other" "--choice stric"; do
    run "$helper" $bad
    echo "$bad: $output"
    [ "$status" -eq 64 ]
    [[ ${lines[0]} == "helper-options: ${bad%% *}: "* ]]
  done
  run "$helper" --integer ""
  [ "$status" -eq 64 ]
  run "$helper" --choice x
  [[ $output == *"'x' is none of strict, graded"* ]]
}

@test "a number is a number in every locale" {
  LC_ALL=de_DE.UTF-8 run "$helper" --real 0.5
  [ "$output" = 0.5 ]
}

@test "a message is one line whatever it quotes" {
  run "$helper" --die $'two\nlines\e[31m\r\x7f\xc2\x9b naïve'
  [ "$status" -eq 65 ]
  [ "$output" = "helper-options: two?lines?[31m???? naïve" ]
}

@test "a very long message is cut, not overrun" {
  run "$helper" --die "$(printf 'x%.0s' {1..5000})"
  [ "$status" -eq 65 ]
  [ "${#output}" -gt 1000 ]
  [ "${#output}" -lt 2048 ]
}

@test "the name is the last part of argv[0]" {
  run bash -c "exec -a /some/where/else '$helper' --die oops"
  [ "$output" = "else: oops" ]
}
