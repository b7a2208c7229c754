# help2spec on saved help, one tool for each family of layouts, and on what is hostile.

setup() {
  help2spec=${BIN:-bin}/help2spec
  spec=$BATS_TEST_TMPDIR/spec.json
}

learn() {
  "$help2spec" --quiet --from testdata/help "$1" -o "$spec"
}

# ask JQ: the program must give true.
ask() {
  jq -e "def opt(\$n): [.. | objects | select(.name? == \$n)][0];
    def meta(\$n): [.metadata[]? | select(.name == \$n) | .value][0];
    def arg: .arguments[0];
    def cmd(\$n): .commands[] | select(.name == \$n);
    $1" "$spec" >"$BATS_TEST_TMPDIR/answer" || {
    echo "not so: $1"
    jq -c . "$spec"
    return 1
  }
}

@test "click: ranges, choices, notes, a flag with its negation" {
  learn clicky
  ask 'meta("dialect") == "click"'
  ask '[.commands[].name] == ["fly", "land"]'
  ask 'cmd("fly").description == "Let a kite rise, and hold its string for as long as the wind is good."'
  ask 'opt("--wind") | meta("default") == false'
  ask 'opt("--no-wind") | meta("negates") == "--wind"'
  ask 'opt("--height") | .aliases == ["-h"] and meta("environment") == "KITE_HEIGHT"'
  ask 'opt("--height").arguments[0] | meta("minimum") == 1 and meta("maximum") == 500 and meta("default") == "30" and meta("type") == "integer"'
  ask 'opt("--mode") | .required and (arg.acceptedValues == ["calm", "wild"]) and (arg | meta("default") == "calm")'
  ask 'opt("--tail") | meta("repeatable")'
  ask 'opt("--log").arguments[0] | meta("type") == "path"'
  ask 'cmd("fly").arguments | length == 2 and .[0].name == "kite" and .[0].required and .[1].arity.minimum == 0'
}

@test "argparse: arity, choices, required, positionals" {
  learn argy
  ask 'meta("dialect") == "argparse"'
  ask '.info.summary == "Paint a fence."'
  ask 'opt("--colour") | .aliases == ["-c"] and (arg.acceptedValues == ["red", "blue"]) and (arg | meta("default") == "red")'
  ask 'opt("--size").arguments[0].arity == {"minimum": 0, "maximum": 1}'
  ask 'opt("--name").required'
  ask 'opt("--point").arguments[0].arity == {"minimum": 2, "maximum": 2}'
  ask 'opt("--point").description == "where to begin; see also --size and -q"'
  ask 'opt("--tags").arguments[0].arity == {"minimum": 1}'
  ask '[.options[].name] | length == 8'
  ask 'meta("conflicts") == [["-q", "-v"]]'
  ask '[.arguments[].name] == ["source", "target"] and (.arguments[1].arity == {"minimum": 0})'
}

@test "the unit that a number counts, by its metavariable and in words" {
  learn waity
  ask 'opt("--timeout") | arg | meta("unit") == "seconds" and meta("type") == "number" and meta("default") == "30"'
  ask 'opt("--pause") | arg | meta("unit") == "milliseconds"'
  ask 'opt("--keep") | arg | meta("unit") == "days"'
  ask 'opt("--cap") | arg | meta("unit") == "bytes"'
  ask 'opt("--buffer") | arg | meta("unit") == "mebibytes"'
  ask '[opt("--tick", "--mode", "--out-dir") | arg | meta("unit")] == [null, null, null]'
}

@test "GNU: optional values, one-letter options, operands" {
  learn gnuish
  ask 'meta("dialect") == "getopt_long"'
  ask 'opt("--colour") | meta("attached") and (arg.arity == {"minimum": 0, "maximum": 1})'
  ask 'opt("-I").arguments | length == 1'
  ask 'opt("--all").arguments == null'
  ask 'opt("--width") | .aliases == ["-w"] and .description == "set the width to COLS.  0 means no limit"'
  ask '[.arguments[].name] == ["pattern", "file"]'
}

@test "cobra: typed flags, quoted defaults, global flags" {
  learn snake
  ask 'meta("dialect") == "cobra"'
  ask 'opt("--house").arguments[0] | meta("default") == "main"'
  ask 'opt("--slow").arguments == null'
  ask 'cmd("feed").options | map(.name) == ["--delay", "--help", "--hot", "--house"]'
  ask 'opt("--delay").arguments[0] | meta("type") == "duration" and meta("default") == "2s"'
  ask 'opt("--hot").arguments[0].arity.minimum == 0'
}

@test "clap: description below, possible values, environment" {
  learn clapper
  ask 'meta("dialect") == "clap"'
  ask 'opt("--tempo") | meta("environment") == "TEMPO" and (arg | meta("default") == "120")'
  ask 'opt("--key").arguments[0].acceptedValues == ["major", "minor"]'
  ask 'opt("--mood").arguments[0].acceptedValues == ["glad", "sad"]'
  ask 'opt("--verbose") | .arguments == null and meta("repeatable")'
  ask '[.arguments[] | [.name, .required]] == [["song", true], ["hands", false]]'
}

@test "typer: boxes, cells that are wrapped, required by a star" {
  learn boxed
  ask 'meta("dialect") == "click"'
  ask 'opt("--weight") | .required and .aliases == ["-w"] and (arg | meta("minimum") == 1)'
  ask 'opt("--no-wrap") | meta("negates") == "--wrap"'
  ask 'opt("--wrap") | meta("default") == true'
  ask 'opt("--paper").arguments[0] | .acceptedValues == ["plain", "striped", "golden"] and meta("default") == "plain"'
  ask '[.arguments[].name] == ["name"]'
}

@test "Go's flag: one dash, tabs" {
  learn gopher
  ask 'meta("dialect") == "dash"'
  ask '[.options[].name] == ["-addr", "-n", "-tls", "-v"]'
  ask 'opt("-addr").arguments[0] | meta("default") == ":8080"'
  ask 'opt("-tls").arguments == null and opt("-v").description == "be verbose"'
}

@test "docopt and systemd: spellings set apart by blanks" {
  learn docky
  ask 'opt("--help").aliases == ["-h"]'
  ask 'opt("--speed").arguments[0] | meta("default") == "10"'
  learn dctl
  ask 'opt("--host") | .aliases == ["-H"] and (.arguments | length == 1)'
  ask 'opt("--lines") | .aliases == ["-n"] and (arg | meta("type") == "integer")'
  ask '[.commands[].name] == ["list-ducks", "feed"]'
}

@test "each item has its confidence and line" {
  learn clicky
  ask '[.. | objects | select(.name? and (.description? or .aliases?)) | meta("confidence") and meta("source")] | all'
  ask 'opt("--wind") | meta("source") == 6'
}

@test "hostile help is bounded" {
  dir=$BATS_TEST_TMPDIR/saved
  mkdir "$dir"
  head -c 10485760 /dev/zero | tr '\0' '-' >"$dir/dashes.txt"
  yes '  -x, --xx  again' | head -c 10485760 >"$dir/again.txt"
  head -c 3000000 /dev/urandom >"$dir/noise.txt"
  { echo 'usage: many [command]'; echo; echo 'Commands:'; seq -f '  c%.0f  does it' 10000; } >"$dir/many.txt"
  printf 'Usage: esc [OPTIONS]\n\nOptions:\n  \033[1m--bold\033[0m  \033]0;title\007Be \033[31mred\033[0m\n' >"$dir/esc.txt"
  : >"$dir/empty.txt"
  for name in dashes again noise many; do
    run timeout 20 "$help2spec" --from "$dir" "$name" -o "$spec"
    echo "$name: $status $output"
    [ "$status" -eq 0 ] || [ "$status" -eq 65 ]
  done
  run timeout 20 "$help2spec" --from "$dir" esc -o "$spec"
  [ "$status" -eq 0 ]
  ask 'opt("--bold").description == "Be red"'
  run "$help2spec" --from "$dir" empty
  [ "$status" -eq 65 ]
  [[ $output == *"printed no help"* ]]
  run "$help2spec" --from "$dir" absent
  [ "$status" -eq 65 ]
}

@test "a program that never ends, or lists itself below itself, is stopped" {
  command -v bwrap || skip "bubblewrap is not there"
  tool=$BATS_TEST_TMPDIR/tool
  printf '#!/bin/sh\necho "usage: tool [command]"; echo; echo "Commands:"; echo "  self  itself $*"\n' >"$tool"
  chmod +x "$tool"
  run timeout 60 "$help2spec" --depth 3 "$tool" -o "$spec"
  [ "$status" -eq 0 ] || skip "no sandbox here: $output"
  ask '[.. | objects | select(.name? == "self")] | length == 4'
  printf '#!/bin/sh\necho "usage: x"; while :; do :; done\n' >"$tool"
  run timeout 30 "$help2spec" --timeout 1 "$tool" -o "$spec"
  [ "$status" -eq 0 ]
  printf '#!/bin/sh\nwhile :; do echo "  --flag  again and again"; done\n' >"$tool"
  run timeout 60 "$help2spec" --timeout 3 "$tool" -o "$spec"
  [ "$status" -eq 0 ]
  printf '#!/bin/sh\necho "usage: tool [--on]" >&2; echo "  --on  switch it on" >&2; exit 2\n' >"$tool"
  run "$help2spec" "$tool" -o "$spec"
  [ "$status" -eq 0 ]
  ask '[.options[].name] == ["--on"]'
}

@test "the program cannot write or connect" {
  command -v bwrap || skip "bubblewrap is not there"
  tool=$BATS_TEST_TMPDIR/tool
  printf '#!/bin/sh\necho "usage: tool [--x]"; touch "%s/mark" 2>/dev/null\necho "  --net-$(cat /proc/net/dev | wc -l)  n"\n' "$BATS_TEST_TMPDIR" >"$tool"
  chmod +x "$tool"
  run "$help2spec" "$tool" -o "$spec"
  [ "$status" -eq 0 ] || skip "no sandbox here: $output"
  [ ! -e "$BATS_TEST_TMPDIR/mark" ]
  ask '[.options[].name] | index("--net-3")'
}
