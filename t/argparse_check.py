"""Compares the verifier with Python's own argparse or optparse.

argparse_check.py SPEC FILE...: builds the parser that the spec describes and reads
what helper-argv-fuzz printed of it.  A meaning is the list of what the parser was
told, in the order of the spec.
"""

import argparse
import json
import optparse
import os
import re
import sys


class Refused(Exception):
    pass


class Helped(Exception):
    pass


def metadata(item, name, default=None):
    return next((m["value"] for m in item.get("metadata", []) if m["name"] == name), default)


COMMANDS = set()
TYPES = {"integer": int, "number": float, "string": str}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)

    def exit(self, status=0, message=None):
        raise Helped


class Help(argparse.Action):
    def __init__(self, option_strings, dest, **kwargs):
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS)

    def __call__(self, parser, namespace, values, option_string=None):
        raise Helped(parser.prog)


def nargs_of(argument):
    low, high = arity_of(argument)
    if (low, high) == (1, 1):
        return None
    if (low, high) == (0, 1):
        return "?"
    if high is None:
        return "+" if low else "*"
    return high


def arity_of(argument):
    arity = argument.get("arity")
    required = argument.get("required", True)
    if arity is None:
        return (1 if required else 0), 1
    return arity.get("minimum", 0), arity.get("maximum")


class Told(argparse.Action):
    """Remembers what was given; a single option keeps the last."""

    def __init__(self, option_strings, dest, repeatable=False, **kwargs):
        self.repeatable = repeatable
        super().__init__(option_strings, dest, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        if values is None:
            values = []
        values = values if isinstance(values, list) else [values]
        if not option_string and values == []:
            return  # argparse calls positionals with nothing, too
        told = namespace.told
        old = told.get(self.dest, []) if self.repeatable else []
        told[self.dest] = [*old, *map(str, values)]


class Marker:
    def __str__(self):
        return "(no value)"


def argparse_build(spec):
    root = Parser(prog=spec["info"]["title"], add_help=False)
    fill(root, spec, [o for o in spec["options"] if o.get("recursive")])
    return root


def fill(parser, command, inherited):
    options = command.get("options", [])
    for option in [*options, *(o for o in inherited if o not in options)]:
        names = [option["name"], *option.get("aliases", [])]
        if metadata(option, "eager"):
            parser.add_argument(*names, action=Help)
            continue
        argument = (option.get("arguments") or [None])[0]
        more = {}
        if argument is None:
            more["nargs"] = 0
        else:
            more["nargs"] = nargs_of(argument)
            more["type"] = TYPES[metadata(argument, "type", "string")]
            more["choices"] = argument.get("acceptedValues")
        parser.add_argument(
            *names,
            dest=option["name"],
            action=Told,
            repeatable=metadata(option, "repeatable", False),
            required=option.get("required", False),
            default=argparse.SUPPRESS,
            **more,
        )
    for argument in command.get("arguments", []):
        parser.add_argument(
            argument["name"],
            action=Told,
            nargs=nargs_of(argument),
            type=TYPES[metadata(argument, "type", "string")],
            default=argparse.SUPPRESS,
        )
    if command.get("commands"):
        below = parser.add_subparsers(required=True, dest="command", parser_class=Parser)
        for child in command["commands"]:
            sub = below.add_parser(
                child["name"], aliases=child.get("aliases", []), add_help=False
            )
            fill(sub, child, inherited)


class Space(argparse.Namespace):
    """One record for the parser and its subparsers."""

    shared = {}

    @property
    def told(self):
        return Space.shared


argparse.Namespace = Space


def argparse_read(parser, argv):
    Space.shared = {}
    try:
        parser.parse_args(argv[1:], Space())
    except Refused:
        return None
    except Helped as helped:
        return "help"
    return sorted(Space.shared.items())


class OptParser(optparse.OptionParser):
    def error(self, message):
        raise Refused(message)


def optparse_build(spec):
    parser = OptParser(add_help_option=False)
    told = {}
    for option in spec["options"]:
        argument = (option.get("arguments") or [None])[0]
        name = option["name"]
        more = {"callback": optparse_told, "callback_args": (told, name, option)}
        if argument:
            kind = metadata(argument, "type", "string")
            more["type"] = {"integer": "int", "number": "float", "string": "string"}[kind]
            more["nargs"] = arity_of(argument)[1]
        parser.add_option(name, *option.get("aliases", []), action="callback", **more)
    return parser, told


def optparse_told(_option, _spelling, value, _parser, told, name, option):
    argument = (option.get("arguments") or [{}])[0]
    values = [] if value is None else list(value) if isinstance(value, tuple) else [value]
    accepted = argument.get("acceptedValues")
    if accepted and value not in accepted:
        raise Refused(value)
    old = told.get(name, []) if metadata(option, "repeatable") else []
    told[name] = [*old, *map(str, values)]


def optparse_read(built, argv):
    parser, told = built
    told.clear()
    try:
        _, operands = parser.parse_args(argv[1:])
    except Refused:
        return None
    return sorted([*told.items(), *([("files", operands)] if operands else [])])


def numbers_alike(items, spec_numbers):
    """Floats are compared as numbers: our canonical form keeps their text."""
    return sorted(
        (name, [str(float(v)) for v in values] if name in spec_numbers else values)
        for name, values in items
    )


def number_names(command):
    for option in command.get("options", []):
        argument = (option.get("arguments") or [{}])[0]
        if metadata(argument, "type") == "number":
            yield option["name"]
    for child in command.get("commands", []):
        yield from number_names(child)


def compare(row, read, numbers):
    real = read(row["argv"])
    if real is None:
        return f"refused, we say {row['code']}" if row["ok"] else None
    if not row["ok"]:
        return f"accepted, we say {row['code']}"
    if real == "help":
        return None if row["items"] == [["--help", []]] else f"help, we read {row['items']}"
    ours = numbers_alike([(n, v) for n, v in row["items"]], numbers)
    if numbers_alike(real, numbers) != ours:
        return f"{real}, we read {row['items']}"
    if read(row["canonical"]) != real:
        again = read(row["canonical"])
        if again is None or numbers_alike(again, numbers) != ours:
            return f"canonical {row['canonical']} means {again}"
    return None


def undefined(argv):
    """Words that versions of argparse read in different ways."""
    if "--" in argv and not COMMANDS & set(argv[1 : argv.index("--")]):
        return True
    return argv.count("--") > 1 or any(re.search(r"(=|^-\w+)--$", word) for word in argv)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    if metadata(spec, "dialect") == "argparse":
        parser = argparse_build(spec)
        for child in spec["commands"]:
            COMMANDS.update([child["name"], *child.get("aliases", [])])
        read, skip = (lambda argv: argparse_read(parser, argv)), undefined
    else:
        built = optparse_build(spec)
        read, skip = (lambda argv: optparse_read(built, argv)), lambda argv: False
    numbers = set(number_names(spec))
    print(f"1..{len(sys.argv) - 2}")
    for number, name in enumerate(sys.argv[2:]):
        seen = accepted = wrong = 0
        with open(name, encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                if skip(row["argv"]):
                    continue
                fault = compare(row, read, numbers)
                seen += 1
                accepted += row["ok"]
                wrong += fault is not None
                if fault and wrong <= 10:
                    print(f"# {json.dumps(row['argv'])}: {fault} ({row['message']})")
        kind = f"{metadata(spec, 'dialect')}, {os.path.basename(name)}"
        print(f"# {kind}: {seen} argvs, {accepted} accepted")
        bad = wrong or accepted < seen // 20 or accepted == seen
        print(f"{'not ok' if bad else 'ok'} {number + 1} - {kind}: {wrong} disagreements")


main()
