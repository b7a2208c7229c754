# Rewarded test rollouts to one line of scores.
def share($part; $of): if $of == 0 then null else 100 * $part / $of end;
reduce inputs as $r (
  {n: 0, asked: 0, declined: 0, valid: 0, exact: 0, right: 0, wrong: 0, reward: 0, none: 0};
  if $r.reward == null then .none += 1 else
    (($r | has("answer")) and $r.answer == null) as $refused
    | .n += 1
    | .reward += $r.reward
    | (if $refused or $r.verdict.ok then .valid += 1 else . end)
    | if $r.argv == null
      then .declined += 1 | if $refused then .right += 1 else . end
      else .asked += 1
        | if $refused then .wrong += 1 elif $r.reward == 1 then .exact += 1 else . end
      end
  end)
| {name: $name, requests: .n, unscored: .none,
   valid: share(.valid; .n), exact: share(.exact; .asked),
   right_refusals: share(.right; .declined), wrong_refusals: share(.wrong; .asked),
   reward: (if .n == 0 then null else .reward / .n end)}
