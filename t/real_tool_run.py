"""Runs inside the sandbox: argvs in (JSON lines), [status, standard error] out.

Each runs in a fresh copy of a small directory, without input and for two seconds at
most; whatever it does is gone with the sandbox.
"""

import json
import os
import shutil
import subprocess
import sys

os.makedirs("/tmp/base")
os.chdir("/tmp/base")
for name in ("f.txt", "a.json", "x.tar"):
    with open(name, "w") as f:
        f.write('{"a": 1}\n')
if sys.argv[1] == "git":
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["commit", "-q", "-m", "one"],
        ["commit", "-q", "--allow-empty", "-m", "two"],
    ):
        subprocess.run(["git", *words], check=True, stdout=subprocess.DEVNULL)
    with open("f.txt", "a") as f:
        f.write("more\n")
    subprocess.run(["git", "stash", "-q"], check=True)
os.chdir("/tmp")
for line in sys.stdin:
    shutil.rmtree("/tmp/work", ignore_errors=True)
    shutil.copytree("/tmp/base", "/tmp/work")
    try:
        done = subprocess.run(
            json.loads(line),
            cwd="/tmp/work",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=2,
        )
        result = [done.returncode, done.stderr[:4000].decode(errors="replace")]
    except subprocess.TimeoutExpired:
        result = [0, "time is up"]
    except ValueError as why:  # a NUL
        result = [0, str(why)]
    print(json.dumps(result), flush=True)
