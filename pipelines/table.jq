# Lines of score.jq to the table that a training run ends with.
def pad($n): tostring | . + " " * ([0, $n - length] | max);
def lpad($n): tostring | " " * ([0, $n - length] | max) + .;
def fixed($d):
  if . == null then "-" else
    ((. * pow(10; $d) | round) | tostring) as $s
    | (if $s | startswith("-") then "-" else "" end) as $sign
    | ($s | ltrimstr("-")) as $a
    | ("0" * ([0, $d + 1 - ($a | length)] | max) + $a) as $b
    | $sign + $b[:-$d] + "." + $b[-$d:]
  end;
{start: "before RL", policy: "after RL", supervised: "supervised instead"} as $titles
| ("policy" | pad(20))
  + (["valid %", "exact %", "right refusals %", "wrong refusals %", "mean reward"]
     | map(lpad(18)) | join("")),
  (.[] | (($titles[.name] // .name) | pad(20))
    + ([(.valid, .exact, .right_refusals, .wrong_refusals | fixed(1)), (.reward | fixed(3))]
       | map(lpad(18)) | join(""))),
  ([.[].requests] | unique | map(tostring) | join(" and ")
    | . + " requests, one greedy answer each"
    + (if $seconds == "" then "" else "; RL took \($seconds) s, supervised training instead as long" end))
