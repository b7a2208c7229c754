#!/usr/bin/env python3
"""Compares a spec with the true grammar of help_truth.py.

usage: help_accuracy.py [-v] TRUTH SPEC   prints one line of counts as JSON.
"""
import json, sys

verbose = sys.argv[1] == "-v"
truth = json.load(open(sys.argv[-2]))
spec = json.load(open(sys.argv[-1]))
count = dict.fromkeys(["options", "found", "invented", "value", "value_right", "stated", "stated_right",
                       "commands", "commands_found", "commands_invented", "arguments", "arguments_right"], 0)


def say(*words):
    if verbose:
        print(*words, file=sys.stderr)


def meta(item, name):
    return next((m["value"] for m in item.get("metadata", []) if m["name"] == name), None)


def walk(node, path, out):
    out[" ".join(path)] = node
    for c in node.get("commands", []):
        walk(c, path + [c["name"]], out)


def same(a, b):
    try:
        return float(a) == float(b)
    except ValueError:
        return a.strip("'\"") == b.strip("'\"")


def options(path, true, node):
    spelling = {}
    for o in node.get("options", []):
        for n in [o["name"]] + o.get("aliases", []):
            spelling[n] = o
    known = set()
    for t in true["options"]:
        names = t["names"] + t.get("negative", [])
        known |= set(names)
        for n in names:
            count["options"] += 1
            if n not in spelling:
                say(path, "missing", n)
                continue
            count["found"] += 1
        mine = next((spelling[n] for n in t["names"] if n in spelling), None)
        if mine is None:
            continue
        arg = (mine.get("arguments") or [None])[0]
        count["value"] += 1
        if (arg is not None) == t["takes_value"]:
            count["value_right"] += 1
        else:
            say(path, "takes a value?", t["names"], t["takes_value"])
            continue
        if arg is None:
            continue
        if t["choices"] and not t.get("choices_hidden"):
            count["stated"] += 1
            if sorted(set(t["choices"])) == sorted(arg.get("acceptedValues", [])):
                count["stated_right"] += 1
            else:
                say(path, "choices", t["names"], t["choices"], arg.get("acceptedValues"))
        elif arg.get("acceptedValues") and not t["choices"] and not t.get("metavar"):
            count["stated"] += 1
            say(path, "choices made up", t["names"], arg["acceptedValues"])
        if t["default"] not in (None, "", "None", "[]", "()", "{}", '""') and t["nargs"] in (None, 1):
            count["stated"] += 1
            got = meta(arg, "default")
            if got is not None and same(str(got), t["default"]):
                count["stated_right"] += 1
            else:
                say(path, "default", t["names"], repr(t["default"]), repr(got))
    for n in spelling:
        if n not in known:
            count["invented"] += 1
            say(path, "invented", n)


specs = {}
walk(spec, [], specs)
for path, true in truth["commands"].items():
    if path.split(" ")[-1] == "help":
        continue  # asks for what is asked for anyway
    count["commands"] += 1
    if path not in specs:
        say("missing command", path)
        continue
    count["commands_found"] += 1
    node = specs[path]
    options(path, true, node)
    if not node.get("commands"):
        count["arguments"] += 1
        if len(true["arguments"]) == len(node.get("arguments", [])):
            count["arguments_right"] += 1
        else:
            say(path, "arguments", [a["names"] for a in true["arguments"]], [a["name"] for a in node.get("arguments", [])])
for path in specs:
    if path not in truth["commands"] and path != "help":
        count["commands_invented"] += 1
        say("invented command", path)
print(json.dumps(count))
