#!/usr/bin/env python3
"""Reference values for t/0600-grpo.c: TRL's published formulae under torch autograd.

    python3 t/make_grpo_reference.py > testdata/rl/grpo.txt

Advantages: trl/trainer/grpo_trainer.py (group and batch standard deviation of
torch.std, that is divided by n - 1, plus 1e-4).  Losses: _compute_loss there, for
one process and one micro-batch.  Truncated completions are masked and leave every
denominator.  The output is lines of "name count" and then count numbers.
"""
import sys
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)
EPS_LOW, EPS_HIGH, BETA, MAX_LEN = 0.2, 0.28, 0.04, 12


def out(name, values):
    values = [float(v) for v in torch.as_tensor(values).reshape(-1)]
    print(name, len(values))
    print(*("nan" if v != v else repr(v) for v in values))


def advantages(rewards, groups, scale):
    result = torch.zeros_like(rewards)
    ok = ~torch.isnan(rewards)
    batch_std = rewards[ok].std()
    for g in groups.unique():
        member = (groups == g) & ok
        r = rewards[member]
        if len(r) < 2:
            continue
        a = r - r.mean()
        if scale == "group":
            a = a / (r.std() + 1e-4)
        elif scale == "batch":
            a = a / (batch_std + 1e-4)
        result[member] = a
    return result


def loss_of(kind, logp, old, ref, adv, mask, beta):
    ratio = torch.exp(logp - old)
    clipped = torch.clamp(ratio, 1 - EPS_LOW, 1 + EPS_HIGH)
    per_token = -torch.min(ratio * adv[:, None], clipped * adv[:, None])
    if beta:
        per_token = per_token + beta * (torch.exp(ref - logp) - (ref - logp) - 1)
    kept = mask.sum(-1) > 0
    if kind == "grpo":
        loss = ((per_token * mask).sum(-1) / mask.sum(-1).clamp(min=1.0))[kept].mean()
    elif kind in ("bnpo", "dapo"):
        loss = (per_token * mask).sum() / mask.sum().clamp(min=1.0)
    else:
        loss = (per_token * mask).sum() / (kept.sum() * MAX_LEN)
    return loss, ratio, per_token


def main():
    nan = float("nan")
    rewards = torch.tensor([1, -1, 0.25, nan, 0.5, 0.5, 0.5, 0.5, -1, 1, 0.3, 0.7, 1.0])
    groups = torch.tensor([5, 2, 5, 5, 9, 9, 9, 9, 2, 2, 5, 2, 11])
    out("rewards", rewards)
    out("groups", groups)
    for scale in ("group", "batch", "none"):
        out("advantage." + scale, advantages(rewards, groups, scale))

    lengths = torch.tensor([3, 7, 1, 12, 5, 4])
    counted = torch.tensor([1, 1, 1, 0, 1, 1])  # the fourth was truncated
    n, width = len(lengths), int(lengths.max())
    old = (-torch.rand(n, width) * 2).float().double()
    logp = (old + torch.randn(n, width) * 0.3).float().double()
    ref = (old + torch.randn(n, width) * 0.2).float().double()
    adv = torch.tensor([1.2, -0.7, 0.4, 0.9, 0.0, -1.3])
    inside = torch.arange(width)[None] < lengths[:, None]
    mask = (inside & (counted[:, None] > 0)).double()
    out("lengths", lengths)
    out("counted", counted)
    out("adv", adv)
    out("old", old[inside])
    out("logp", logp[inside])
    out("ref", ref[inside])
    for beta in (0.0, BETA):
        for kind in ("dapo", "grpo", "dr_grpo", "bnpo"):
            x = logp.clone().requires_grad_(True)
            loss, ratio, _ = loss_of(kind, x, old, ref, adv, mask, beta)
            loss.backward()
            name = kind + (".kl" if beta else "")
            out("loss." + name, loss.detach())
            out("grad." + name, x.grad[inside])
    ratio = torch.exp(logp - old)
    tokens = mask.sum()
    low = (ratio < 1 - EPS_LOW) & (adv[:, None] < 0)
    high = (ratio > 1 + EPS_HIGH) & (adv[:, None] > 0)
    k3 = torch.exp(ref - logp) - (ref - logp) - 1
    out("clip_low", (low * mask).sum() / tokens)
    out("clip_high", (high * mask).sum() / tokens)
    out("kl", (k3 * mask).sum() / tokens)
    out("ratio_mean", (ratio * mask).sum() / tokens)
    out("ratio_max_gap", ((ratio - 1).abs() * mask).max())


if __name__ == "__main__":
    sys.exit(main())
