"""Lints generated requests: lint_requests.py SPEC FILE.  Prints each fault; the last line counts.

Written apart from the checks of synvalidate, so that a hole in those shows here:
  slot     something of a template is left: {}, {name}, %c, <slot>, $1
  doubled  a word twice in a row, beyond those that people say twice
  grammar  an imperative where a verb belongs: "make it do not wait"
  value    something that looks like a value (a number, path, address, assignment, option)
           but is neither in the argv nor a word of the spec's own phrases
What a story around the request tells ("port 80 is already taken") and what a correction
takes back ("on 80, no, 81") is no value of the request: both are known by their form.
"""

import difflib
import json
import re
import sys

CORRECTIONS = ("no wait", "no sorry", "no", "sorry", "I mean", "or rather", "scratch that", "actually", "err", "oops")
DENIALS = ("not", "instead of", "rather than")
QUOTES = "\"'`"


def strip(word):
    return word.strip(QUOTES + ",.;:!?()[]>|").lower()


def words_of_tables():
    """The fixed English of the generator, and what stands around the slots of its stories."""
    words, contexts = set(), []
    for name in ("words_frames", "words_verbs"):
        with open(f"src/synth/{name}.c") as f:
            text = f.read()
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
            words.update(strip(w) for w in literal.split())
        found = re.search(r"LIST\(words_story,(.*?)\);", text, re.S)
        for story in re.findall(r'"((?:[^"\\]|\\.)*)"', found[1] if found else ""):
            parts = [strip(w) for w in story.split()]
            for at, part in enumerate(parts):
                if "{" in part:
                    contexts.append(([w for w in parts[:at] if w][-3:], [w for w in parts[at + 1 :] if w][:3]))
    return words, contexts


def alike(a, b):
    """Equal but for a slip, or in short."""
    return a == b or difflib.SequenceMatcher(None, a, b).ratio() >= 0.7


def in_story(words, at, contexts):
    """Whether the words around are those of a story, slips and left-out articles allowed."""
    near = [strip(w) for w in words[max(0, at - 5) : at]], [strip(w) for w in words[at + 1 : at + 6]]
    for before, after in contexts:
        wanted = len(before) + len(after)
        hits = sum(any(alike(w, x) for x in near[0]) for w in before)
        hits += sum(any(alike(w, x) for x in near[1]) for w in after)
        if wanted and hits >= max(1, round(0.6 * wanted)):
            return True
    return False


def denied(words, word):
    """Whether a value is taken back wherever it stands: "not 80 but 81", "81 instead of 80"."""
    for at, other in enumerate(words):
        if plain(other) != plain(word):
            continue
        for denial in DENIALS:
            n = len(denial.split())
            if at >= n and alike(" ".join(strip(w) for w in words[at - n : at]), denial):
                return True
    return False


def plain(word):
    return word.strip(QUOTES + ",;:!?()").rstrip(".").lower()


def taken_back(words, at):
    """Whether a correction follows: "80, no wait, 81", "80 - no, 81"."""
    if denied(words, words[at]):
        return True
    if words[at].endswith("...") and alike("".join(strip(w) for w in words[at + 1 : at + 2]), "wait"):
        return True
    if words[at + 1 : at + 2] == ["-"] and alike(" ".join(strip(w) for w in words[at + 2 : at + 4]), "make that"):
        return True
    rest = [strip(w) for w in words[at + 1 : at + 4] if w != "-"]
    dashed = words[at + 1 : at + 2] == ["-"]
    if not dashed and not words[at].endswith(","):
        return False
    if rest[:1] == ["not"]:
        return False  # "7, not 8": the other one is
    return any(alike(" ".join(rest[: len(c.split())]), c.lower()) for c in CORRECTIONS)


def words_of_spec(node, words):
    """Words of names, descriptions and phrases; not the values."""
    if isinstance(node, dict):
        name = node.get("name")
        if name == "says":
            phrases = node["value"]
            for phrase in phrases if isinstance(phrases, list) else sum(phrases.values(), []):
                add_words(phrase, words)
            return
        for key, value in node.items():
            if key in ("name", "description", "title", "summary"):
                add_words(value, words)
            elif key == "aliases":
                for alias in value:
                    add_words(alias, words)
            elif key in ("options", "arguments", "commands", "metadata", "info"):
                words_of_spec(value, words)
    elif isinstance(node, list):
        for item in node:
            words_of_spec(item, words)


def add_words(text, words):
    for word in text.split():
        words.add(strip(word))
        if word.startswith("-"):  # "--no-cache" is called "no cache", too
            words.update(re.split(r"[-_.]", word.strip("-")))


def leftover(request, argv):
    for found in re.finditer(r"\{[\w.]*\}|%[cntov]\b|<[a-z][a-z-]*>|%s|\$[0-9]\b", request):
        if not any(found[0] in word for word in argv or []):
            return found[0]
    return None


def doubled(request, argv):
    for found in re.finditer(r"(?<![\w.\-/'`])([A-Za-z']+) \1(?![\w\-/'`.]\w)\b", request, re.I):
        word = found[1].lower()
        if word in ("that", "had", "very", "really", "please", "no", "so", "again", "bye", "never"):
            continue
        if any(word in w.lower() for w in argv or []):
            continue
        return found[0]
    return None


def ungrammatical(request, argv):
    found = re.search(r"\b(it|to|should|must) (do not|don'?t) \w+", request, re.I)
    if found and not any(found[0] in w for w in argv or []):
        return found[0]
    return None


TIMES = {"ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
SIZES = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
TIME_WORDS = r"(ms|msecs?|milliseconds?)|(s|secs?|seconds?)|(mins?|minutes?)|(h|hrs?|hours?)|(d|days?)|(w|weeks?)"
SIZE_WORDS = r"(b|bytes?)|(kb?|kilobytes?)|(mb?|megs?|megabytes?)|(gb?|gigs?|gigabytes?)|(tb?|terabytes?)"


def measured(words, at, argv):
    """Whether a number and its unit come to a value of the argv in another unit."""
    text = re.sub(r"(?<=\d)[,_](?=\d{3})", "", " ".join(strip(w) for w in words[at : at + 2]))
    found = re.match(r"(\d+(?:\.\d+)?)[ -]?([a-z]+)\b", text)
    if not found:
        return False
    amounts = []
    time, size = re.fullmatch(TIME_WORDS, found[2]), re.fullmatch(SIZE_WORDS, found[2])
    if time:
        amounts.append((float(found[1]) * list(TIMES.values())[time.lastindex - 1], list(TIMES.values())))
    for base in (1000, 1024) if size else ():
        amounts.append((float(found[1]) * base ** (size.lastindex - 1), [base**n for n in SIZES.values()]))
    for value in argv:
        number = re.match(r"(\d+(?:\.\d+)?)[a-zA-Z]*$", value)
        for amount, units in amounts if number else ():
            if any(abs(float(number[1]) * unit - amount) <= 1e-9 * amount for unit in units):
                return True
    return False


def looks_like_value(word):
    if re.fullmatch(r"-?-[a-z][\w-]*", word):
        return True
    if re.search(r"\d", word) and not re.fullmatch(r"\d+(st|nd|rd|th)", word):
        return True
    return bool(re.search(r"[/@=\\]|\w[.:]\w|^~", word))


def stray_value(request, argv, known, contexts):
    joined = " ".join(argv[1:]).lower()
    words = request.split()
    shaped = [w for w in known if "." in w.strip(".") and len(w) >= 10]  # "docker-compose.yml", with a slip
    for at, raw in enumerate(words):
        word = strip(raw)
        if not word or not looks_like_value(word) or (word in known and not word.startswith("--")):
            continue
        if any(difflib.SequenceMatcher(None, word, w).ratio() >= 0.9 for w in shaped):
            continue
        if word in joined or raw.strip(QUOTES + ",;!?()").lower() in joined:
            continue
        if word.startswith("--") and any(
            alike(word, w) or alike(word, w.split("=")[0]) or word.split("=")[0] in w for w in argv
        ):
            continue  # the name of an option, mistyped or in short
        if re.sub(r"(?<=\d)-(?=[a-z]+$)", "", word) in joined:
            continue  # "512-mb"
        # Thousands separators, "~" for about.
        if re.sub(r"(?<=\d)[,_](?=\d{3})", "", word).lstrip("~$").strip(QUOTES) in joined:
            continue
        if word[:2] != "--" and all(strip(part) in known or part in joined for part in re.split(r"[/,&=]", word)):
            continue
        if measured(words, at, argv) or taken_back(words, at) or in_story(words, at, contexts):
            continue
        return raw
    return None


def main():
    spec_path, data = sys.argv[1:]
    known, contexts = words_of_tables()
    with open(spec_path) as f:
        words_of_spec(json.load(f), known)
    n = faults = 0
    with open(data) as f:
        for line in f:
            record = json.loads(line)
            request, argv = record["request"], record["argv"]
            seed = record["origin"]["kind"] == "seed" or any(
                t.startswith("seed/") for t in record["origin"]["template"]
            )
            n += 1
            found = [("slot", leftover(request, argv)), ("doubled", doubled(request, argv))]
            found.append(("grammar", ungrammatical(request, argv)))
            if argv and not seed:  # people may speak of things that are no values
                found.append(("value", stray_value(request, argv, known, contexts)))
            for kind, what in found:
                if what:
                    faults += 1
                    print(f"{kind}: {what!r}: {request!r} -> {argv}")
    print(f"{n} records, {faults} faults")
    sys.exit(faults > 0 or n == 0)


main()
