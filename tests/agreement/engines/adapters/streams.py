"""Queries and random streams that adapters are given in tests."""

import random
import shlex
import sys
from pathlib import Path

from agreement.documents.recordings import Push

PYTHON = sys.executable
PROGRAMS = Path(__file__).parent / "programs"


def served(name):
    """Return the command that serves an engine of the project."""
    return f"lars serve-engine {name}"


def rspql(length=4, step=2, operator="RStream", where="?s :p ?a", select="?s ?a"):
    return (
        f"PREFIX : <http://e/>\nREGISTER {operator} <http://e/out> AS\nSELECT {select}\n"
        f"FROM NAMED WINDOW :w ON STREAM :S [RANGE {length} STEP {step}]\n"
        f"WHERE {{\nWINDOW :w {{ {where} }} }}"
    )


def push(t, subject, term='"x"', stream="S", predicate="p"):
    return Push(t, f"<http://e/{stream}>", (f"<http://e/{subject}>", f"<http://e/{predicate}>", term))


def random_pushes(seed, count=12, most=4):
    """Return triples in the order of their times, some of one instant, some equal."""
    chance = random.Random(seed)
    t, found = chance.randint(0, 3), []
    for _ in range(count):
        found.append(
            push(t, chance.choice("abc"), f'"{chance.randint(1, 3)}"', predicate=chance.choice("ppq"))
        )
        t += chance.choice((0, 1, 1, 2, 3, most))
    return found


IN_UNITS = """import json, subprocess, sys
engine = subprocess.Popen(ENGINE, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin:
    message = json.loads(line)
    if "t" in message:
        message["t"] *= UNIT
    print(json.dumps(message), file=engine.stdin, flush=True)
    reply = json.loads(engine.stdout.readline())
    if message["op"] == "open":
        reply |= {"time_unit": NAME} if "ok" in reply else {}
    for report in reply.get("reports", ()):
        report |= {key: report[key] / UNIT for key in ("t", "window_from", "window_to") if key in report}
    print(json.dumps(reply), flush=True)
"""


def in_units(path, engine, name, unit):
    """Write an adapter whose times count another unit than that of the engine, ms."""
    text = IN_UNITS.replace("ENGINE", repr(shlex.split(engine))).replace("NAME", repr(name))
    path.write_text(text.replace("UNIT", str(unit)))
    return f"{sys.executable} {path}"
