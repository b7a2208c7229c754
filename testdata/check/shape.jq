# What may be held out of a pair, recomputed without our programs: phrasings but
# the first of each key, and the shape of an argv of two options or more.

# Names of the spec's options that take no value.
def flags: [.. | objects | select((.name? | type) == "string" and (.name | startswith("--")) and (has("arguments") | not)) | .name]
  | unique | map({key: ., value: true}) | from_entries;

# Names of all subcommands.
def command_names: [.. | objects | .commands? // [] | .[].name] | unique | map({key: ., value: true}) | from_entries;

# {path, options: [[name, value], ...], positionals} of a canonical argv.
def read_argv($flags; $commands):
  reduce .[] as $w ({path: [], options: [], positionals: 0, in_path: true, open: false, rest: false};
    if .open then .options[-1][1] = $w | .open = false
    elif .rest then .positionals += 1
    elif $w == "--" then .rest = true | .in_path = false
    elif ($w | startswith("--")) then .in_path = false | .options += [[$w, null]] | .open = ($flags[$w] | not)
    elif .in_path and (.path == [] or $commands[$w]) then .path += [$w]
    else .in_path = false | .positionals += 1 end);

def parts($flags; $commands): [.origin.template[]? | select(endswith("/0") | not)]
  + ((.argv // []) | read_argv($flags; $commands)
    | (.options | map(.[0]) | unique) as $names
    | if ($names | length) >= 2 then ["shape \(.path | join(" ")) \($names | join(" ")) \(.positionals)"] else [] end);

def names: [.[] | .parts[]] | unique | map({key: ., value: true}) | from_entries;

# true where each record of test has a part that neither train nor valid has,
# and each one of valid a part that train lacks.
def leak_free($spec):
  ($spec | flags) as $flags | ($spec | command_names) as $commands
  | map({split, parts: parts($flags; $commands)})
  | (map(select(.split == "train")) | names) as $train
  | (map(select(.split == "valid")) | names) as $valid
  | all(.[] | select(.split == "test"); any(.parts[]; ($train[.] or $valid[.]) | not))
    and all(.[] | select(.split == "valid"); any(.parts[]; $train[.] | not));

def accepted_values: [.. | objects | .acceptedValues? // [] | .[]] | unique | map({key: ., value: true}) | from_entries;

# What a model must have seen: commands, options of each, accepted values, and
# the first phrasing of each key.  true where train has all of them that occur
# eight times or more (fewer may be in held-out records only, by chance).
def basics_in_train($spec):
  ($spec | flags) as $flags | ($spec | command_names) as $commands | ($spec | accepted_values) as $accepted
  | [.[] | .split as $split
      | (.argv // [] | read_argv($flags; $commands) | (.path | join(" ")) as $p
        | $p, (.options[] | "\($p) \(.[0])", if $accepted[.[1] // ""] then "\($p) \(.[0]) \(.[1])" else empty end)),
        (.origin.template[]? | select(endswith("/0")))
      | {what: ., train: ($split == "train")}]
  | group_by(.what) | map(select(length >= 8)) | all(.[]; any(.[]; .train));
