"""Calls t/helper-tokenize."""
import json
import subprocess


def tokenize(helper, args, texts):
    """What the helper says of each text; None, and a comment in the TAP, where it fails."""
    done = subprocess.run([helper] + args, input="".join(json.dumps(t) + "\n" for t in texts),
                          capture_output=True, text=True)
    if done.returncode:
        print("#", done.stderr.strip())
        return None
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]
