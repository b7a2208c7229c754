#!/bin/bash
# Every header compiles alone, and libraries depend downwards only.
cd "$(dirname "$0")/.." || exit 1
headers=$(find src kernels -name '*.h')
echo "1..$(($(echo "$headers" | wc -l) + 1))"
n=0
for h in $headers; do
  n=$((n + 1))
  if out=$(echo "#include \"${h#src/}\"" | gcc -std=c11 -Wall -Wextra -Werror -Isrc -I. -D_GNU_SOURCE -fsyntax-only -xc - 2>&1); then
    echo "ok $n - $h stands alone"
  else
    echo "not ok $n - $h stands alone"
    echo "$out" | sed 's/^/# /'
  fi
done

# Each folder may include itself and those named behind it.
declare -A below=(
  [base]=""
  [stream]="base"
  [cli]="base stream"
  [text]="base stream cli"
  [synth]="base stream cli text"
  [exec]="base stream cli text"
  [model]="base stream text kernels"
  [rl]="base stream cli text model kernels"
  [help]="base cli exec"
  [propose]="base stream cli text synth exec model rl kernels"
)
bad=""
for dir in src/*/; do
  dir=$(basename "$dir")
  [ -n "${below[$dir]+x}" ] || bad="$bad src/$dir:has-no-place-in-the-order"
done
for dir in "${!below[@]}"; do
  for f in src/"$dir"/*.[ch]; do
    [ -f "$f" ] || continue
    while read -r included; do
      case " $dir ${below[$dir]} " in
      *" ${included%%/*} "*) ;;
      *) bad="$bad $f:$included" ;;
      esac
    done < <(sed -n 's|^#include "\([a-z]*/[^"]*\)".*|\1|p' "$f")
  done
done
n=$((n + 1))
if [ -z "$bad" ]; then echo "ok $n - includes point downwards"; else
  echo "not ok $n - includes point downwards"
  printf '# %s\n' $bad
fi
