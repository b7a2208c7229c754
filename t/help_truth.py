#!/usr/bin/env python3
"""The true grammar of a Python command, read from its parser, as JSON.

usage: help_truth.py SCRIPT   (a console script; it is stopped where it would parse)
Prints {"kind": ..., "commands": {"sub sub": {"options": [...], "arguments": [...]}}}.
"""
import argparse, json, os, re, runpy, sys

real_stdout = os.dup(1)
os.dup2(2, 1)


def finish(kind, commands):
    os.write(real_stdout, json.dumps({"kind": kind, "commands": commands}, default=str).encode())
    os._exit(0)


def shown_default(help_text, value):
    """A default is wanted only where the help states it."""
    return None if value is None or help_text is None else str(value)


def from_argparse(parser, path, out, seen):
    if id(parser) in seen:
        return
    seen.add(id(parser))
    options, arguments = [], []
    out[" ".join(path)] = {"options": options, "arguments": arguments}
    for a in parser._actions:
        if a.help == argparse.SUPPRESS:
            continue
        if isinstance(a, argparse._SubParsersAction):
            for name, sub in a.choices.items():
                from_argparse(sub, path + [name], out, seen)
            continue
        choices = [str(c) for c in a.choices] if a.choices is not None and not isinstance(a.choices, range) else []
        default = None
        if a.help and "%(default)" in a.help and a.default is not None and a.default is not argparse.SUPPRESS:
            default = str(a.default)
        item = {"names": list(a.option_strings), "takes_value": a.nargs != 0, "nargs": a.nargs,
                "choices": choices, "default": default, "required": a.required,
                "metavar": a.metavar is not None}
        # A metavariable or a formatter of its own may keep the choices from the help.
        if a.metavar is not None and choices:
            item["choices_hidden"] = True
        if a.option_strings == ['-']:
            continue  # no name that an option can have
        if a.option_strings:
            options.append(item)
        else:
            item["names"] = [a.metavar or a.dest]
            arguments.append(item)


def from_click(command, ctx, path, out, depth=0):
    import click
    options, arguments = [], []
    out[" ".join(path)] = {"options": options, "arguments": arguments}
    for p in command.get_params(ctx):
        if getattr(p, "hidden", False):
            continue
        kind = getattr(p, "type", None)
        choices = [str(getattr(c, "name", c) if not isinstance(c, str) else c) for c in kind.choices] if hasattr(kind, "choices") else []
        flag = bool(getattr(p, "is_flag", False)) or bool(getattr(p, "count", False))
        record = p.get_help_record(ctx) if p.param_type_name == "option" else None
        if p.param_type_name == "option":
            default = None
            info = p.get_help_extra(ctx) if hasattr(p, "get_help_extra") else {}
            if not flag and "default" in info:
                default = info["default"]
            options.append({"names": list(p.opts), "negative": list(p.secondary_opts), "takes_value": not flag,
                            "nargs": p.nargs, "choices": choices if p.metavar is None else [],
                            "default": default, "required": p.required,
                            "metavar": p.metavar is not None})
        else:
            arguments.append({"names": [p.name], "nargs": p.nargs, "choices": choices, "required": p.required})
    if hasattr(command, "list_commands") and depth < 4:
        for name in command.list_commands(ctx):
            sub = command.get_command(ctx, name)
            if sub is None or sub.hidden:
                continue
            with sub.context_class(sub, info_name=name, parent=ctx, **sub.context_settings) as inner:
                from_click(sub, inner, path + [name], out, depth + 1)


def patched_argparse(self, *args, **kwargs):
    out = {}
    from_argparse(self, [], out, set())
    finish("argparse", out)


# Some tools parse in several steps: the parser that prints the help is the whole.
argparse.ArgumentParser.print_help = patched_argparse
argparse.ArgumentParser.format_help = patched_argparse


def patch_click(module):
    def main(self, *args, **kwargs):
        out = {}
        with self.context_class(self, info_name="x", **self.context_settings) as ctx:
            from_click(self, ctx, [], out)
        kind = "typer" if type(self).__module__.startswith("typer") else "click"
        finish(kind, out)
    module.core.BaseCommand.main = main if hasattr(module.core, "BaseCommand") else None
    module.core.Command.main = main
    module.core.Group.main = main
    try:
        import typer.core
        typer.core.TyperCommand.main = main
        typer.core.TyperGroup.main = main
    except ImportError:
        pass


try:
    import click
    import warnings
    warnings.simplefilter("ignore")
    patch_click(click)
except ImportError:
    pass

script = sys.argv[1]
sys.argv = [script, "--help"]
sys.path.insert(0, os.path.dirname(script))
runpy.run_path(script, run_name="__main__")
sys.exit("the parser was not reached")
