"""Queries and random streams that adapters are given in tests."""

import random
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
