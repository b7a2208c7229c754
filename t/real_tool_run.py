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
for name, content in (("f.txt", "# text\n"), ("a.json", '{"a": 1}\n'), ("x.tar", "\0" * 10240)):
    with open(name, "w") as f:
        f.write(content)
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


def pip_parse(argv):
    """What pip's own parsers say, without running the command."""
    import contextlib
    import io

    from pip._internal.cli.main_parser import parse_command
    from pip._internal.commands import create_command
    from pip._internal.exceptions import CommandError

    text = io.StringIO()
    try:
        with contextlib.redirect_stderr(text), contextlib.redirect_stdout(io.StringIO()):
            name, rest = parse_command(argv[1:])
            command = create_command(name)
            options, words = command.parse_args(rest)
            if name in ("config", "cache", "index"):
                actions = {"config": "list edit get set unset debug", "cache": "dir info list remove purge"}
                if not words or words[0] not in actions.get(name, "versions").split():
                    return [2, "unknown command"]
        return [0, text.getvalue()]
    except SystemExit as status:
        return [status.code or 0, text.getvalue()]
    except CommandError as why:
        return [2, str(why)]


for line in sys.stdin:
    if sys.argv[1] == "pip":
        print(json.dumps(pip_parse(json.loads(line))), flush=True)
        continue
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
