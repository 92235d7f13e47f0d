"""Queries changed by lot, read here, by pyoxigraph and by rdflib; and by another checkout of the project.

`python -m tests.benchmarks.grammar_differential 20000 --seed 1 [--beside FOLDER]` draws so many and prints
each that is read here alone, or only not here. With --beside all of them, and each query file at hand, are
what that checkout reads, or refused by both. Exit code 1: they differ.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

from tests.packs import ROOT, SHARED
from tests.translate.sparql.changed_queries import accepted_elsewhere, changed, is_parsed, is_read

READING = """
import json, sys
sys.path.insert(0, sys.argv[1])
from lars.errors import LarsError
from translate.dialects import read_query

def read(text):
    try:
        return repr(read_query(text, "q.rq", opaque=True))
    except LarsError:
        return None
    except Exception as error:
        return "crash: " + repr(error)

json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
"""


def read_by(checkout, texts):
    """Return what a checkout reads each text as; None where it refuses it."""
    command = sys.executable, "-c", READING, str(checkout)
    run = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def files():
    """Return the texts of all query files."""
    folders = ROOT / "samples", ROOT / "tests", SHARED
    paths = sorted(path for folder in folders for path in folder.rglob("*.rq"))
    return [path.read_text("utf-8", errors="replace") for path in paths]


def kind(text):
    """Return how a text is read here and elsewhere."""
    elsewhere = accepted_elsewhere(text)
    if is_read(text):
        return "read" if elsewhere else "DIFFERENT: read here alone"
    return "DIFFERENT: not read here" if len(elsewhere) > 1 and not is_parsed(text) else "refused"


def main():
    """Read the options, run, print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    random = Random(options.seed)
    texts = [changed(random) for _ in range(options.count)]
    kinds = [(kind(text), text) for text in texts]
    if options.beside:
        texts += files()
        pairs = zip(read_by(ROOT, texts), read_by(options.beside, texts), texts, strict=True)
        kinds += [("as there" if here == there else "DIFFERENT there", text) for here, there, text in pairs]
    different = [f"{name}: {text}" for name, text in kinds if name.startswith("DIFFERENT")]
    print(*different, *(f"{name}: {n}" for name, n in Counter(name for name, _ in kinds).items()), sep="\n")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
