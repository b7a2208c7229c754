# Rewarded proposals, made with --min-confidence 0, to what a threshold would give:
# how many of the requests that ask for a command get one, and how many of the commands
# are the right ones.
def lpad($n): tostring | " " * ([0, $n - length] | max) + .;
def percent($part; $of): if $of == 0 then "-" else (1000 * $part / $of | round | . / 10 | tostring) end;
[inputs | {asked: (.argv != null), made: (.proposal != null), right: (.proposal != null and .reward == 1),
           p: (.confidence // 0)}] as $all
| ([$all[] | select(.asked)] | length) as $asked
| (["min. confidence", "coverage %", "precision %", "wrong commands"] | map(lpad(17)) | join("")),
  ((0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99) as $least
   | [$all[] | select(.made and .p >= $least)] as $made
   | ([$made[] | select(.right)] | length) as $right
   | [$least, percent([$made[] | select(.asked)] | length; $asked),
      percent($right; $made | length), ($made | length) - $right]
   | map(lpad(17)) | join(""))
