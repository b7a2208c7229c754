"""Compares specs with the real tools: does the tool's own parser take what the verifier takes?

real_tool_check.py BIN CLI...: prints TAP.  The tools run inside bubblewrap: no network,
nothing writable but memory.  Of what they answer only one thing counts: whether the words
themselves were refused.  That a file, host, daemon or branch is not there does not matter.

For every command of a spec, hidden options included:
  alone    each spelling of each option, with a value where it takes one
  drawn    argvs that seed2syn draws
must not be refused where the verifier accepts them, and
  wrong    an unknown option, an option without its value, a flag with a value, an
           unknown command
must be refused as the verifier refuses them.
"""

import json
import os
import re
import shutil
import subprocess
import sys

# What a tool says when it does not understand its words; and whether its exit status does.
SAYS = {
    "git": (
        r"unknown (option|switch|subcommand)|unrecognized argument|requires a value|takes no value"
        r"|expects a|is not a git command|usage: git|cannot be used together|mutually exclusive"
        r"|incompatible with|is ambiguous|not an integer|No such subcommand|invalid option|--follow"
        r"|must come before|unknown .*option|bad .* argument|does not take|needs a value",
        {129},
    ),
    "tar": (
        r"unrecognized option|invalid option|requires an argument|doesn't allow an argument|is ambiguous"
        r"|You must specify one of|Conflicting|cannot be used|Try 'tar|You may not specify more than one"
        r"|Invalid (blocking|tape|record)|Cowardly refusing to create an empty",
        {64},
    ),
    "rsync": (
        r"unknown option|missing argument|does not take|is ambiguous|option error|not supported",
        set(),
    ),
    "curl": (
        r"curl: option .*: (is unknown|requires parameter|is ambiguous|expected a proper|used '--no-)",
        {2},
    ),
    "jq": (r"Unknown argument|takes (a|one|two) parameter|Use jq --help", set()),
    "systemctl": (
        r"unrecognized option|invalid option|requires an argument|doesn't allow an argument|is ambiguous"
        r"|Unknown (command )?(verb|operation)|Too (many|few) arguments|Failed to parse|Unknown output"
        r"|Unknown (job|kill)",
        set(),
    ),
    "docker": (
        r"unknown (flag|shorthand|command)|flag needs an argument|is not a docker command|requires (at|exactly)"
        r"|accepts (at|no|exactly)|invalid argument|conflicting options|cannot be used|requires [0-9]"
        r"|does not accept|unknown docker command",
        set(),
    ),
    "kubectl": (
        r"unknown (flag|shorthand|command)|flag needs an argument|invalid argument|accepts |requires "
        r"|must specify|must be specified|is required|cannot be (used|set|specified)|you must|expected "
        r"|unexpected|at least|exactly|unable to match a printer|not be",
        set(),
    ),
    "pip": (
        r"no such option|requires? [0-9a]|does not take a value|ambiguous option|unknown command|invalid choice"
        r"|invalid (integer|float)",
        {2},
    ),
}
VERSION = {
    "git": ["git", "--version"],
    "tar": ["tar", "--version"],
    "rsync": ["rsync", "--version"],
    "curl": ["curl", "--version"],
    "jq": ["jq", "--version"],
    "systemctl": ["systemctl", "--version"],
    "docker": ["docker", "--version"],
    "kubectl": ["kubectl", "version", "--client"],
    "pip": ["python3", "-m", "pip", "--version"],
}


# A tool of one command may need more words before an option makes sense.
NEEDED = {"tar": [["--create", "--file", "y.tar"], ["--extract", "--file", "x.tar"]]}


def meta(owner, name, default=None):
    for entry in owner.get("metadata", []):
        if entry["name"] == name:
            return entry["value"]
    return default


def value_of(argument):
    by_type = {"integer": "3", "number": "1.5", "path": "f.txt", "url": "http://localhost:1/x", "port": "8080"}
    by_type.update(host="localhost", boolean="true", duration="5s", size="10m", image="img:1")
    if argument.get("acceptedValues"):
        return argument["acceptedValues"][0]
    if argument["name"] in ("commit", "object", "revision"):
        return "main"
    values = meta(argument, "values")
    if values and meta(argument, "type") not in ("path", "url", "host"):
        return values[0]
    return by_type.get(meta(argument, "type"), "x1")


def operands(command, wanted=True):
    words = []
    for argument in command.get("arguments", []):
        least = argument.get("arity", {}).get("minimum", 1 if argument.get("required") else 0)
        words += [value_of(argument)] * (least or (1 if wanted and not argument.get("hidden") else 0))
    return words


def commands(command, path, inherited):
    own = command.get("options", [])
    if "commands" not in command or meta(command, "runnable"):
        yield path, command, own + inherited
    elif path[1:] == []:
        yield path, {"arguments": []}, own
    for child in command.get("commands", []):
        yield from commands(child, [*path, child["name"]], [o for o in own + inherited if o.get("recursive")])


def spelled(name, value, attached, dialect):
    if value is None:
        return [name]
    if attached or name.startswith("--") and dialect == "glue":
        return [f"{name}={value}" if name.startswith("--") or len(name) > 2 else name + value]
    return [name, value]


def cases(spec, name):
    flag_values = meta(spec, "dialect") in ("cobra", "dash")
    for path, command, options in commands(spec, [name], []):
        yield "wrong", [*path, "--no-such-thing-here"]
        if command.get("commands") or path[1:] == [] and spec.get("commands"):
            yield "wrong", [*path, "nosuchcommand"]
        for option in options:
            arguments = option.get("arguments")
            optional = arguments and arguments[0].get("arity", {}).get("minimum") == 0
            for spelling in [option["name"], *option.get("aliases", [])]:
                value = value_of(arguments[0]) if arguments else None
                words = spelled(spelling, value, meta(option, "attached") or optional, "")
                if arguments and arguments[0].get("arity", {}).get("minimum", 1) == 2:
                    words.append(value)
                for needed in [[], *NEEDED.get(name, [])]:
                    if option["name"] in needed:
                        continue
                    yield "alone", [*path, *needed, *words, *operands(command)]
                    yield "alone", [*path, *needed, *words, *operands(command, False)]
                if arguments and not optional:
                    yield "wrong", [*path, *operands(command), spelling]
                elif not arguments and spelling.startswith("--") and not flag_values:
                    yield "wrong", [*path, spelling + "=x1", *operands(command)]


def verdicts(bin_dir, spec_path, argvs):
    records = "".join(json.dumps({"request": "x", "argv": a, "n": i}) + "\n" for i, a in enumerate(argvs))
    done = subprocess.run(
        [f"{bin_dir}/synvalidate", "--quiet", "--plain", "--checks", "verdict", "--spec", spec_path]
        + ["--rejects", "/dev/stderr"],
        input=records.encode(),
        capture_output=True,
        check=True,
    )
    out = [None] * len(argvs)
    for line in (done.stdout + done.stderr).decode().splitlines():
        record = json.loads(line)
        out[record["n"]] = record["verdict"]
    return out


def run(name, argvs):
    here = os.path.dirname(os.path.abspath(__file__))
    box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    box += ["--tmpfs", "/run", "--tmpfs", "/home", "--ro-bind", f"{here}/real_tool_run.py", "/tmp/run.py"]
    box += ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--chdir", "/tmp"]
    environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    environment.update(GIT_EDITOR="true", GIT_PAGER="cat", PAGER="cat", SYSTEMD_PAGER="cat", DOCKER_HOST="unix:///x")
    for who in ("AUTHOR", "COMMITTER"):
        environment.update({f"GIT_{who}_NAME": "T", f"GIT_{who}_EMAIL": "t@example.org"})
    environment.update(GIT_CONFIG_NOSYSTEM="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    for key, value in environment.items():
        box += ["--setenv", key, value]
    lines = "".join(json.dumps(a) + "\n" for a in argvs)
    done = subprocess.run(
        [*box, "python3", "/tmp/run.py", name], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def refused(name, status, text):
    pattern, statuses = SAYS[name]
    return status in statuses or re.search(pattern, text, re.I) is not None


def why_not(name, spec):
    """Why the tool cannot be compared with; None where it can."""
    if not shutil.which("python3" if name == "pip" else name):
        return f"{name} is not installed"
    said = subprocess.run(VERSION[name], capture_output=True, stdin=subprocess.DEVNULL).stdout.decode()
    found = re.search(r"[0-9]+(\.[0-9]+)+|(?<=[ -])[0-9]+(?= )", said)
    wanted = spec["info"]["version"]
    depth = min(2, len(wanted.split(".")))
    if not found or found[0].split(".")[:depth] != wanted.split(".")[:depth]:
        return f"the spec is of version {wanted}, this is {found[0] if found else said.strip()}"
    return None


def check(bin_dir, name, count):
    """[what is wrong], or a reason to skip as a string."""
    spec_path = f"seeds/{name}/cli.json"
    with open(spec_path) as f:
        spec = json.load(f)
    reason = why_not(name, spec)
    if reason:
        return reason
    todo = list(cases(spec, name))
    drawn = subprocess.run(
        [f"{bin_dir}/seed2syn", "--spec", spec_path, "-n", str(2 * count), "--seed", "7", "--plain", "--quiet"],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    argvs = [json.loads(line)["argv"] for line in drawn.splitlines()]
    todo += [("drawn", a) for a in argvs if a][:count]
    seen = set()
    todo = [t for t in todo if not (json.dumps(t[1]) in seen or seen.add(json.dumps(t[1])))]
    said = verdicts(bin_dir, spec_path, [a for _, a in todo])
    keep = [i for i, (kind, _) in enumerate(todo) if said[i]["ok"] != (kind == "wrong")]
    results = run(name, [todo[i][1] for i in keep])
    assert len(results) == len(keep)
    faults, counts = [], {}
    for i, (status, text) in zip(keep, results):
        kind, argv = todo[i]
        counts[kind] = counts.get(kind, 0) + 1
        if refused(name, status, text) != (kind == "wrong"):
            first = text.strip().splitlines()
            faults.append(f"{kind}: {' '.join(argv)}: exit {status}, {first[0] if first else 'silent'}")
    print(f"# {name}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    if counts.get("alone", 0) < 10 or counts.get("wrong", 0) < 10:
        faults.append("too few cases: the test tests nothing")
    return faults


def main():
    bin_dir, names = sys.argv[1], sys.argv[2:]
    count = int(os.environ.get("COUNT", "300"))
    print(f"1..{len(names)}")
    bad = 0
    for number, name in enumerate(names, 1):
        faults = check(bin_dir, name, count)
        if isinstance(faults, str):
            print(f"ok {number} - {name} # SKIP {faults}")
            continue
        for fault in faults[: int(os.environ.get("SHOW", "20"))]:
            print("# " + fault)
        bad += bool(faults)
        print(f"{'not ok' if faults else 'ok'} {number} - {name}: the verifier judges as the tool does", flush=True)
    sys.exit(bad > 0)


main()
