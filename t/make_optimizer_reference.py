#!/usr/bin/env python3
"""Reference values for t/0610-optimizer.c.

    python3 t/make_optimizer_reference.py > testdata/rl/optimizer.txt

AdamW is torch.optim.AdamW after torch.nn.utils.clip_grad_norm_; Muon is written
here from its authors' description (kellerjordan.github.io/posts/muon: momentum
buf = mu buf + g, Nesterov g + mu buf, five Newton-Schulz steps, update scaled by
sqrt(max(1, rows / cols)), decoupled weight decay).  Four updates with given
gradients; the third is large enough to be clipped.
"""
import sys
import torch

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
LR, MUON_LR, WD, CLIP, MU = 3e-3, 0.02, 0.05, 1.0, 0.95
SHAPES = {"embedding": (7, 4), "norm": (4, 1), "wide": (3, 5), "tall": (6, 4), "square": (4, 4)}
MATRICES = ("wide", "tall", "square")


def out(name, values):
    values = [float(v) for v in values.reshape(-1)]
    print(name, len(values))
    print(*(repr(v) for v in values))


def newton_schulz(g):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g / (g.norm() + 1e-7)
    flip = x.shape[0] > x.shape[1]
    if flip:
        x = x.T
    for _ in range(5):
        s = x @ x.T
        x = a * x + (b * s + c * s @ s) @ x
    return x.T if flip else x


def run(use_muon):
    torch.manual_seed(12)
    prefix = "muon." if use_muon else "adamw."
    p = {n: torch.nn.Parameter(torch.randn(s).float().double()) for n, s in SHAPES.items()}
    for n in p:
        out(prefix + "start." + n, p[n].detach())
    matrices = MATRICES if use_muon else ()
    groups = [{"params": [p["norm"]], "weight_decay": 0.0},
              {"params": [p[n] for n in p if n != "norm" and n not in matrices],
               "weight_decay": WD}]
    adamw = torch.optim.AdamW(groups, lr=LR, betas=(0.9, 0.95), eps=1e-8)
    momentum = {n: torch.zeros(SHAPES[n]) for n in matrices}
    for step, (size, schedule) in enumerate(((0.05, 0.5), (0.05, 1.0), (5.0, 1.0), (0.1, 0.3))):
        for n in p:
            p[n].grad = (torch.randn(SHAPES[n]) * size).float().double()
            out(f"{prefix}grad.{step}.{n}", p[n].grad)
        norm = torch.nn.utils.clip_grad_norm_(list(p.values()), CLIP)
        out(f"{prefix}norm.{step}", norm)
        for group in adamw.param_groups:
            group["lr"] = LR * schedule
        adamw.step()
        for n in matrices:
            g = p[n].grad
            momentum[n] = MU * momentum[n] + g
            update = newton_schulz(g + MU * momentum[n])
            rate = MUON_LR * schedule
            scale = max(1.0, SHAPES[n][0] / SHAPES[n][1]) ** 0.5
            with torch.no_grad():
                p[n].mul_(1 - rate * WD).sub_(rate * scale * update)
        for n in p:
            out(f"{prefix}after.{step}.{n}", p[n].detach())


def main():
    run(False)
    run(True)


if __name__ == "__main__":
    sys.exit(main())
