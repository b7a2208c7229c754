#!/bin/bash
# The simulator itself: each planted bug is noticed by the build and schedule that should,
# and correct kernels raise no alarm under any.
cd "$(dirname "$0")/.." || exit 1
sim=build/release/cudasim/bugs san=build/san/cudasim/bugs
echo 1..37
n=0
say() { # OK WHAT
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
ends() { # how a run ended
  local out code
  out=$("$@" 2>&1)
  code=$?
  case $out in
  *AddressSanitizer*) echo asan ;;
  *"runtime error"*) echo ubsan ;;
  *cudasim:*) echo sim ;;
  *"wrong result"*) echo wrong ;;
  *) [ $code = 0 ] && echo fine || echo "exit $code" ;;
  esac
}
export ASAN_OPTIONS=detect_leaks=0

for good in good good_shift good_warp good_last; do
  bad=0
  [ "$(ends $sim $good)" = fine ] || bad=1
  [ "$(CUDASIM_SCHED=rev ends $sim $good)" = fine ] || bad=1
  [ "$(CUDASIM_LAZY=1 ends $sim $good)" = fine ] || bad=1
  for seed in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(CUDASIM_SCHED=rand CUDASIM_SEED=$seed ends $sim $good)" = fine ] || bad=1
  done
  [ "$(ends $san $good)" = fine ] || bad=1
  say $bad "$good: no alarm"
done
for bug in div_two div_one div_loop early_return half_warp shfl_outside use_after_free host_pointer copy_too_long gemm_ld; do
  [ "$(ends $sim $bug)" = sim ]
  say $? "$bug: refused by the simulator"
done
for bug in oob_write oob_under oob_dyn host_deref host_too_short; do
  [ "$(ends $san $bug)" = asan ]
  say $? "$bug: found by ASan"
done
for bug in oob_static misaligned int_overflow local_oob; do
  case $(ends $san $bug) in ubsan | asan) true ;; *) false ;; esac
  say $? "$bug: found by UBSan"
done
for bug in uninit_smem uninit_gmem shift warp; do
  [ "$(CUDASIM_SCHED=rev ends $sim $bug)" = wrong ]
  say $? "$bug: a wrong result"
done
for bug in no_sync no_event; do
  [ "$(CUDASIM_LAZY=1 ends $sim $bug)" = wrong ]
  say $? "$bug: a wrong result with lazy streams"
done
for bug in raw war; do
  found=1
  for seed in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(CUDASIM_SCHED=rand CUDASIM_SEED=$seed ends $sim $bug)" = wrong ] && found=0
  done
  say $found "$bug: a wrong result under some of ten random schedules"
done
tsan=build/tsan/cudasim/bugs
for bug in good good_last raw war noatomic_blocks nofence; do
  if [ ! -x $tsan ]; then
    n=$((n + 1))
    echo "ok $n - $bug # SKIP make VARIANT=tsan cudasim builds what finds races"
    continue
  fi
  case $bug in good*) want=0 ;; *) want=1 ;; esac
  out=$($tsan $bug 2>&1)
  found=0
  case $out in *"ThreadSanitizer: data race"*) found=1 ;; esac
  [ $found = $want ]
  say $? "$bug: races as ThreadSanitizer sees them"
done
