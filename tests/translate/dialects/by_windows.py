"""Queries of today's languages, window by window: their clauses by regular expressions, contents by Oxigraph.

Nothing of the program is used. What each window shows at a time is computed from its text as the language's
documents say it, and becomes a named graph; the rest of the text is SPARQL.
"""

import math
import re
from collections import Counter

import pyoxigraph as ox

NAME = r"<[^>]*>|[\w.:?-]+"
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "": 1}
_DECLARED = re.compile(rf"FROM\s+NAMED\s+WINDOW\s+({NAME})\s+ON\s+({NAME})\s*\[([^\]]*)\]", re.IGNORECASE)
_REGISTER = re.compile(r"REGISTER\s+\S+\s+\S+\s+AS\b", re.IGNORECASE)
_SOURCE = re.compile(r"REGISTER\s+STREAM\s+\S+\s+FROM\s+\S+(\s+WITH\s+TIMESTAMP\s+\S+)?", re.IGNORECASE)


def seconds(written):
    """Return a duration: 10, 10s, PT10S, PT1M30S."""
    parts = re.findall(r"(\d+)([dhms]?)", written.lower().removeprefix("p").replace("t", ""))
    return sum(int(number) * _SECONDS[unit] for number, unit in parts)


def ranged(text):
    """Return what a window shows at a time: the last that has closed; without STEP it tumbles."""
    numbers = re.findall(r"\b(?:RANGE|TUMBLING|SLIDING|STEP|SLIDE)\s+(\w+)", text, re.IGNORECASE)
    width = seconds(numbers[0])
    step = seconds(numbers[1]) if len(numbers) > 1 else width
    return lambda t: (t // step * step - width, t // step * step)


class Kolibrie:
    """Windows with names that are texts."""

    def __init__(self, text):
        text = _REGISTER.sub("", _SOURCE.sub("", text))
        self.windows = {
            name.lstrip(":"): (stream.strip("<:>"), ranged(spec))
            for name, stream, spec in _DECLARED.findall(text)
        }
        steps = [seconds(number) for number in re.findall(r"\b(?:STEP|RANGE)\s+(\w+)", text, re.IGNORECASE)]
        self.grain = math.gcd(*steps)
        """Of this every close is a multiple, and of pushes every time."""
        self.options = ["--period", f"{self.grain}s", "--unit", "1s"]
        self.sparql = re.sub(rf"\bWINDOW\s+({NAME})", self.graph, _DECLARED.sub("", text))

    @staticmethod
    def graph(match):
        return f"GRAPH <urn:w:{match[1].lstrip(':')}>"

    def rows(self, t, pushes, static):
        """Return the rows at a time, counted; pushes are (time, stream, triple)."""
        store = ox.Store()
        for triple in static:
            store.add(ox.Quad(*triple))
        for name, (stream, shown) in self.windows.items():
            first, last = shown(t)
            for time, source, triple in pushes:
                if source.lstrip(":") == stream and first <= time < last:
                    store.add(ox.Quad(*triple, ox.NamedNode(f"urn:w:{name}")))
        found = store.query(self.sparql)
        names = [name.value for name in found.variables]
        return Counter(
            frozenset((name, str(row[name])) for name in names if row[name] is not None) for row in found
        )
