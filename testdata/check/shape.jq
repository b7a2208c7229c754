# Names of what may be held out of a pair: phrasings but the first of each key,
# and the shape of an argv of two options or more.
def options: [.argv[]? | select(startswith("--") and . != "--")] | unique;
def parts: [.origin.template[]? | select(endswith("/0") | not)]
  + (if (options | length) >= 2 then ["shape " + .argv[1] + " " + (options | join(" "))] else [] end);

def names(f): [.[] | select(f) | parts[]] | unique | map({key: ., value: true}) | from_entries;

# 1 where each record of test has a part that neither train nor valid has, and
# each one of valid a part that train lacks.
def leak_free:
  names(.split == "train") as $train | names(.split == "valid") as $valid
  | all(.[] | select(.split == "test"); any(parts[]; ($train[.] or $valid[.]) | not))
    and all(.[] | select(.split == "valid"); any(parts[]; $train[.] | not));

def singles_in_train:
  ([.[] | select(.split == "train")] | [.[] | options[]] | unique) as $kept
  | ([.[] | options[]] | unique) == $kept
    and ([.[] | .origin.template[]? | select(endswith("/0"))] | unique)
      == ([.[] | select(.split == "train") | .origin.template[]? | select(endswith("/0"))] | unique);
