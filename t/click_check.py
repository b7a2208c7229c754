"""Compares spec and verifier with the real parser of langgraph-cli.

click_check.py SPEC FILE...: reads what helper-argv-fuzz printed.  Every argv is parsed by the package's own
click commands with their callbacks replaced; for an argv that parses, the rules
that the callbacks enforce are asked of the callbacks themselves, with everything
behind their checks (Docker, network, files) replaced by an exception.  Nothing is
executed, no file is looked at: Path checks are taken out, as the verifier does
not make them either.
"""

import contextlib
import io
import json
import os
import sys
import types

for name in list(os.environ):
    if name.startswith(("LANGGRAPH", "LANGSMITH", "LANGCHAIN")):
        del os.environ[name]
os.environ["LANGGRAPH_CLI_NO_ANALYTICS"] = "1"

import click  # noqa: E402
from click.core import ParameterSource  # noqa: E402
import langgraph_cli.cli as cli_module  # noqa: E402
import langgraph_cli.config  # noqa: E402
import langgraph_cli.deploy as deploy_module  # noqa: E402
import langgraph_cli.templates as templates_module  # noqa: E402


class Reached(Exception):
    """The callback's own checks are over."""


def reach(*args, **kwargs):
    raise Reached


class Backend:
    def __getattr__(self, name):
        raise Reached


record = []
exited = []
callbacks = {}


def path_of(ctx):
    names = []
    while ctx is not None:
        names.append(ctx.command.name if ctx.parent else "langgraph")
        ctx = ctx.parent
    return names[::-1]


def replace_callbacks(command, path):
    callbacks[tuple(path)] = command.callback

    def remember(**params):
        ctx = click.get_current_context()
        group = isinstance(command, click.Group)
        if group and ctx.invoked_subcommand is None:
            params["docker_build_args"] = tuple(ctx.args)
            ctx.args = []
        sources = {p.name: ctx.get_parameter_source(p.name) for p in command.params}
        record.append((path_of(ctx), dict(params), sources))

    command.callback = remember
    for child in getattr(command, "commands", {}).values():
        replace_callbacks(child, [*path, child.name])


def exit_remember(ctx, code=0):
    exited.append((path_of(ctx), help_asked[0]))
    raise click.exceptions.Exit(code)


help_asked = [False]


def help_remember(self, ctx):
    help_asked[0] = True
    return ""


click.Path.convert = lambda self, value, param, ctx: value
click.Context.exit = exit_remember
click.Command.get_help = help_remember
replace_callbacks(cli_module.cli, ["langgraph"])


def parse(argv):
    """None where the parser refuses, else (what was recorded, what exited)."""
    record.clear()
    exited.clear()
    help_asked[0] = False
    try:
        code = cli_module.cli.main(argv[1:], prog_name=argv[0], standalone_mode=False)
    except click.ClickException:
        return None
    if exited:
        path, with_help = exited[0]
        assert code == 0, argv
        return [], (path, "--help" if with_help else "--version")
    return list(record), None


# --- the callbacks' own rules ----------------------------------------------

cli_module.Runner = reach
langgraph_cli.config.validate_config_file = lambda path: {}
deploy_module.warn_non_wolfi_distro = lambda *a, **k: None
deploy_module._parse_env_from_config = lambda *a: {}
deploy_module._resolve_env_path = lambda *a: None
deploy_module.can_build_locally = lambda: (True, None)
deploy_module._create_host_backend_client = reach
deploy_module._call_host_backend_with_optional_tenant = reach
deploy_module.click.prompt = lambda text, default=None, **k: default
templates_module._download_repo_with_requests = reach
templates_module._choose_template = reach
fake = types.ModuleType("langgraph_api")
fake.cli = types.ModuleType("langgraph_api.cli")
fake.cli.run_server = reach
sys.modules["langgraph_api"] = fake
sys.modules["langgraph_api.cli"] = fake.cli


class Config:
    def exists(self):
        return True


# Faults of callbacks that depend on the value of another option, which no rule of
# the spec can say: on these only the parser is compared.
VALUE_RULES = ("Image tag may only contain", "--push-to already includes a tag")


def callback_accepts(path, params):
    """True, False, or None where the fault is one that the spec does not state."""
    path = tuple(path)
    if path == ("langgraph", "deploy"):
        function, params = deploy_module._deploy_cmd.callback, {**params, "config": Config()}
    elif path == ("langgraph", "new"):
        function, params = templates_module.create_new, {**params, "path": "/does/not/exist"}
    elif path[1:] in (("build",), ("dev",), ("deploy", "list"), ("deploy", "logs")):
        function = callbacks[path]
    else:
        return True
    function = getattr(function, "__wrapped__", function)
    deploy_module._create_host_backend_client = (
        (lambda *a, **k: Backend()) if path[-1] == "logs" else reach
    )
    try:
        function(**params)
    except Reached:
        return True
    except click.UsageError as fault:
        return None if fault.message.startswith(VALUE_RULES) else False
    except SystemExit:
        return False
    raise AssertionError(f"{path} came to an end")


# --- comparing ---------------------------------------------------------------


def meaning_of(recorded):
    """{(depth, spelling): values} of what the command line stated."""
    out = {}
    for depth, (path, params, sources) in enumerate(recorded):
        command = cli_module.cli
        for name in path[1:]:
            command = command.commands[name]
        for param in command.params:
            if sources[param.name] is not ParameterSource.COMMANDLINE:
                continue
            value = params[param.name]
            spelling = next((o for o in param.opts if o.startswith("--")), param.opts[0])
            if isinstance(param, click.Argument):
                spelling = spelling.replace("_", "-")
            if getattr(param, "is_flag", False):
                out[depth, spelling if value else param.secondary_opts[0]] = []
            elif isinstance(value, tuple):
                out[depth, spelling] = [str(v) for v in value]
            else:
                out[depth, spelling] = [str(value)]
        if path[-1] == "deploy" and params.get("docker_build_args"):
            out[depth, "docker-build-args"] = list(params["docker_build_args"])
    return out


def flat(meaning):
    return sorted((spelling, values) for (_, spelling), values in meaning.items())


def values_only(result):
    if result is None:
        return None
    recorded, left = result
    return [(path, params) for path, params, _ in recorded], left


def compare(row):
    """What is wrong with this row; None where both agree."""
    argv = row["argv"]
    real = parse(argv)
    if real is None:
        return f"click refuses, we say {row['code']}" if row["ok"] else None
    recorded, left = real
    if left is None:
        final = recorded[-1]
        accepts = callback_accepts(final[0], final[1])
        if accepts is None or any(a == "" or a.endswith("=") for a in argv):
            # Callbacks take an empty value for one that was not given.
            if row["code"] in ("conflict", "requires", "one-of", "not-accepted", "bad-pattern"):
                return "marked"
            accepts = accepts is None or accepts or row["ok"]
        if accepts != row["ok"]:
            return f"real tool {'accepts' if accepts else 'refuses'}, we say {row['code']}"
        if not accepts:
            return None
        if flat(meaning_of(recorded)) != sorted((n, v) for n, v in row["items"]):
            return f"click reads {flat(meaning_of(recorded))}, we read {row['items']}"
        if final[0] != row["command"]:
            return f"click runs {final[0]}, we {row['command']}"
    elif not row["ok"]:
        return f"click prints help or version, we say {row['code']}"
    elif (left[0], [[left[1], []]]) != (row["command"], row["items"]):
        return f"click exits for {left}, we read {row['items']}"
    if parse(row["canonical"]) != real:
        return "the canonical argv means something else"
    if values_only(parse(row["bare"])) != values_only(real):
        return "the argv without defaults means something else"
    return None


# --- is the spec complete? ---------------------------------------------------


def metadata(item, name):
    return next((m["value"] for m in item.get("metadata", []) if m["name"] == name), None)


def real_default(param):
    value = param.default
    if value is None or callable(value) or type(value).__name__ == "Sentinel":
        return None
    return value if isinstance(value, bool) else str(value)


def real_option(param):
    """What click knows of an option, in the spec's words, one entry a spelling."""
    kind = param.type
    shared = {
        "hidden": param.hidden,
        "required": param.required,
        "repeatable": param.multiple,
        "flag": param.is_flag,
        "integer": isinstance(kind, click.types.IntParamType),
        "accepted": list(kind.choices) if isinstance(kind, click.Choice) else None,
        "ignore-case": isinstance(kind, click.Choice) and not kind.case_sensitive,
        "exists": isinstance(kind, click.Path) and kind.exists or param.name == "config",
        "environment": param.envvar,
        "default": real_default(param),
    }
    yield {**shared, "names": sorted(param.opts), "negates": None}
    for name in param.secondary_opts:
        yield {**shared, "names": [name], "negates": param.opts[0], "default": None}


def our_option(option):
    argument = (option.get("arguments") or [{}])[0]
    return {
        "hidden": option.get("hidden", False),
        "required": option.get("required", False),
        "repeatable": metadata(option, "repeatable") or False,
        "flag": not option.get("arguments"),
        "integer": metadata(argument, "type") in ("integer", "port"),
        "accepted": argument.get("acceptedValues"),
        "ignore-case": metadata(argument, "ignore-case") or False,
        "exists": metadata(argument, "exists") is not None,
        "environment": metadata(option, "environment"),
        "default": metadata(option if not option.get("arguments") else argument, "default"),
        "names": sorted([option["name"], *option.get("aliases", [])]),
        "negates": metadata(option, "negates"),
    }


def differences(spec, command, path):
    ours = {o["name"]: our_option(o) for o in spec.get("options", []) if o["name"] != "--help"}
    real = {}
    for param in command.params:
        for entry in real_option(param) if isinstance(param, click.Option) else ():
            real[next(n for n in entry["names"] if n.startswith("--"))] = entry
    if path == ["langgraph", "new"]:  # the callback's own list of what it takes
        real["--template"]["accepted"] = list(templates_module.TEMPLATE_IDS)
    if path == ["langgraph"]:
        ours["--version"]["default"] = real["--version"]["default"]
    for name in sorted(ours.keys() | real.keys()):
        if ours.get(name) != real.get(name):
            # click says of a plain flag that it is off by default, or nothing
            pair = [dict(x or {}) for x in (ours.get(name), real.get(name))]
            if all(pair) and pair[0]["flag"] and not any(x["default"] for x in pair):
                if {**pair[0], "default": None} == {**pair[1], "default": None}:
                    continue
            yield f"{' '.join(path)} {name}: {ours.get(name)} is really {real.get(name)}"
    wanted = [p.name.replace("_", "-") for p in command.params if isinstance(p, click.Argument)]
    if path == ["langgraph", "deploy"]:  # attached to the command behind the group
        wanted = ["docker-build-args"]
    stated = [a["name"] for a in spec.get("arguments", [])]
    if stated != wanted:
        yield f"{' '.join(path)}: arguments {stated} are really {wanted}"
    children = {c["name"]: c for c in spec.get("commands", [])}
    if sorted(children) != sorted(getattr(command, "commands", {})):
        yield f"{' '.join(path)}: commands {sorted(children)}"
        return
    for name, child in getattr(command, "commands", {}).items():
        yield from differences(children[name], child, [*path, name])


def complete(name):
    with open(name, encoding="utf-8") as file:
        faults = list(differences(json.load(file), cli_module.cli, ["langgraph"]))
    for fault in faults:
        print(f"# {fault}")
    print(f"{'not ok' if faults else 'ok'} 1 - the spec states what the package's commands do")


def main():
    shown = 0
    out = sys.stdout
    files = sys.argv[2:]
    print(f"1..{2 * len(files) + 1}")
    complete(sys.argv[1])
    for number, name in enumerate(files):
        seen = accepted = marked = wrong = 0
        with open(name, encoding="utf-8") as rows:
            for line in rows:
                row = json.loads(line)
                silent = io.StringIO()
                with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
                    fault = compare(row)
                seen += 1
                accepted += row["ok"]
                marked += fault == "marked"
                if fault and fault != "marked":
                    wrong += 1
                    shown += 1
                    if shown <= 20:
                        out.write(f"# {json.dumps(row['argv'])}: {fault} ({row['message']})\n")
        kind = os.path.basename(name)
        print(f"# {kind}: {seen} argvs, {accepted} accepted, {marked} by the parser only")
        right = seen >= 2000 and seen // 20 < accepted < seen
        print(f"{'ok' if right else 'not ok'} {2 * number + 2} - {kind}: enough of both kinds")
        print(f"{'not ok' if wrong else 'ok'} {2 * number + 3} - {kind}: {wrong} disagreements")


main()
