#!/bin/bash
# Static analysis finds nothing, and does find what is there.
cd "$(dirname "$0")/.." || exit 1
# A third of the time, for a tenth of the depth; `make analyze` has all of it.
export ANALYZE_NODES=25000
echo 1..4
n=0
report() { # STATUS NAME
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
for tool in cppcheck gcc clang; do
  out=$(t/analyze.sh $tool 2 2>&1)
  status=$?
  # Whatever they say is a finding, also where their exit status is 0.
  [ -z "$out" ] || status=1
  [ -z "$out" ] || head -n 60 <<<"$out" | sed 's/^/# /'
  report $status "$tool finds nothing"
done

# The same tools with the same settings on a tree with a fault.
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
mkdir "$dir/t" "$dir/src" "$dir/kernels"
cp t/analyze.sh "$dir/t"
cp .clang-tidy "$dir"
cat >"$dir/src/fault.c" <<'C'
#include <stdlib.h>
int main(void)
{
	int *p = malloc(sizeof *p);

	free(p);
	free(p);
	return 0;
}
C
status=0
for tool in cppcheck gcc clang; do
  if out=$("$dir/t/analyze.sh" $tool 1 2>&1) || ! grep -qiE '(twice|double-|released)' <<<"$out"; then
    status=1
    echo "# $tool sees no second free()"
  fi
done
report $status "each finds a second free()"
