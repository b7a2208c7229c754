#!/bin/bash
# Makes the damaged and odd streams of this folder again; run it in the folder.
set -euo pipefail

cat >good.jsonl <<'END'
{"id":"a1","request":"start the api on port 8123","argv":["up","--port","8123"],"n":12345678901234567890123}
{ "id" : "a2", "request" : "caf\u00e9 \/ \ud83d\ude00 \u0000", "argv" : null , "x" : 1e400 }

{"z":0.1,"a":-0,"id":"a3","unknown":{"deep":[[[]],{"k":9007199254740993}]},"request":"naïve 日本語"}
END

# Each line is wrong in one way.
printf '%s\n' \
  'not json' '[1]' '"text"' '{"a":1' '{"a":1}}' '{"a":1} {"b":2}' '{"a":1,}' '{a:1}' \
  "{'a':1}" '{"a":1,"a":2}' '{"a":1,"\u0061":2}' '{"a":{"b":1,"b":2}}' '{"a":01}' '{"a":+1}' \
  '{"a":.5}' '{"a":1.}' '{"a":NaN}' '{"a":Infinity}' '{"a":0x10}' '{"a":tru}' '{"a":"x}' \
  '{"a":"\x"}' '{"a":"\u12"}' '{"a":"\ud800"}' '{"a":"\udc00x"}' '{"a":1}//' >hostile.jsonl
printf '{"a":"\xff"}\n{"a":"\xc0\x80"}\n{"a":"\xed\xa0\x80"}\n{"a":"\xf4\x90\x80\x80"}\n' >>hostile.jsonl
printf '{"a":"\xe2\x82"}\n{"a":"\t"}\n{"a":\0}\n{"a":1\0}\n{"a":"\0"}\n' >>hostile.jsonl
printf '{"a":%s1%s}\n' "$(printf '[%.0s' {1..200})" "$(printf ']%.0s' {1..200})" >>hostile.jsonl

pack() { zstd -q --check -c "$@"; }

pack good.jsonl >good.jsonl.zst
# A skippable frame, a frame that ends inside a line, an empty one, the rest.
(
  printf '\x50\x2a\x4d\x18\x04\0\0\0note'
  head -c 150 good.jsonl | pack
  pack </dev/null
  tail -c +151 good.jsonl | pack
) >glued.jsonl.zst
head -c 200 good.jsonl.zst >truncated.jsonl.zst
# One byte of the content turned over; the sizes fit, the checksum does not.
python3 - <<'END'
data = bytearray(open("good.jsonl.zst", "rb").read())
data[-5] ^= 0x20
open("corrupt.jsonl.zst", "wb").write(data)
END
(cat good.jsonl.zst && printf 'garbage') >trailing.jsonl.zst
