#!/bin/bash
# ptxas_table.sh FILE... - what ptxas -v said of each kernel, a line each, for all
# architectures: the most registers, bytes of stack, of spills, and static shared memory.
set -eu
printf '%-42s %-10s %9s %5s %6s %6s\n' kernel sm registers stack spills shared
cat "$@" | awk '
  /Compiling entry function/ { split($0, part, "\047"); name = part[2]; sm = part[4] }
  /bytes stack frame/ { stack = $1; spill = $5 + $9 }
  /Used [0-9]+ registers/ {
    shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART) + 0 : 0
    registers = match($0, /Used [0-9]+/) ? substr($0, RSTART + 5) + 0 : 0
    sub("sm_", "", sm)
    arch[name] = arch[name] (arch[name] == "" ? "" : ",") sm
    if (registers > most[name]) most[name] = registers
    if (stack > frame[name]) frame[name] = stack
    if (spill > spilled[name]) spilled[name] = spill
    if (shared > static[name]) static[name] = shared
  }
  END { for (n in most) printf "%s %s %d %d %d %d\n", n, arch[n], most[n], frame[n], spilled[n], static[n] }' |
  c++filt -p -i | sed 's/^void //' | sort |
  while read -r name sm registers stack spills shared; do
    printf '%-42s %-10s %9d %5d %6d %6d\n' "$name" "$sm" "$registers" "$stack" "$spills" "$shared"
  done
