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


def span(spec):
    """Return what a window of CQELS 2 shows at a time: its first and last instant, and its step."""
    lengths = {
        word.upper(): seconds(length)
        for word, length in re.findall(r"([A-Z]+)\s+(\d+[a-z]+)", spec, re.IGNORECASE)
    }
    past = lengths.get("RANGE", lengths.get("PAST", lengths.get("SLIDE" if "STEP" in lengths else "", 0)))
    ahead = lengths.get("FUTURE", 0)
    step = lengths.get("STEP", lengths.get("SLIDE", past + ahead))
    if past and ahead:
        return step, lambda t: (t // step * step - past + 1, t // step * step + ahead)
    shift = 1 if ahead else 0
    return step, lambda t: (t // step * step - past - ahead + shift, t // step * step - 1 + shift)


class Machine:
    """A query whose windows have become graphs: `windows` is what each reads, and shows at a time."""

    def __init__(self, text):
        self.windows, self.grain, self.pushed = {}, 1, False
        self.graphs_alone = False
        self.operator = (*re.findall(r"\b([ID])STREAM\b", text), "R")[0]
        self.read(text)

    def reported(self, before, now):
        """Return what the operator reports: rows that are new, or gone, with their numbers; or all."""
        return {"I": now - before, "D": before - now, "R": now}[self.operator]

    unit = "s"
    reading = ()

    @property
    def options(self):
        return ["--unit", f"1{self.unit}", *self.reading] + (
            [] if self.pushed else ["--period", f"{self.grain}{self.unit}"]
        )

    def instants(self, found, pushes):
        """Return when it has to be evaluated, of those times up to the last at which it was."""
        return {t for t, _, _ in pushes} if self.pushed else range(0, max(found) + 1, self.grain)

    def full(self, text):
        """Return a text with IRIs for names with dots, of which Oxigraph reads few."""
        prefixes = dict(re.findall(r"PREFIX\s+(\w+):\s*<([^>]*)>", text, re.IGNORECASE))
        text = text.replace("GROUP_CONCAT(?signal", "GROUP_CONCAT(STR(?signal)")  # which has no numbers there
        return re.sub(r"\b(\w+):(\w+(?:\.\w+)+)", lambda one: f"<{prefixes[one[1]]}{one[2]}>", text)

    def rows(self, t, pushes, static):
        """Return the rows at a time, counted; pushes are (time, stream, triple)."""
        store = ox.Store()
        for triple in () if self.graphs_alone else static:
            store.add(ox.Quad(*triple))
        for name, (stream, shown) in self.windows.items():
            own = [(time, triple) for time, source, triple in pushes if source.lstrip(":") == stream]
            for triple in shown(t, own):
                store.add(ox.Quad(*triple, *([ox.NamedNode(f"urn:w:{name}")] if name else [])))
        return solutions(store.query(self.sparql))


def solutions(found):
    if isinstance(found, ox.QueryBoolean):
        return Counter([frozenset()] if found else [])
    names = [name.value for name in found.variables]
    return Counter(
        frozenset((name, plain(row[name])) for name in names if row[name] is not None) for row in found
    )


def plain(term):
    """Return a term as text, numbers by their value."""
    if isinstance(term, ox.Literal) and term.datatype.value.rpartition("#")[2] in ("integer", "decimal"):
        return round(float(term.value), 6)
    return str(term) if ", " not in str(term) else tuple(sorted(str(term).strip('"').split(", ")))


def between(ends):
    """Return what shows the triples whose times lie in a half-open interval."""

    def shown(t, own):
        first, last = ends(t)
        return [triple for time, triple in own if first <= time < last]

    return shown


def newest(count):
    """Return what shows the newest triples of a stream."""
    return lambda t, own: [triple for time, triple in own if time <= t][-count:]


class Kolibrie(Machine):
    """Windows with names that are texts."""

    def read(self, text):
        text = _REGISTER.sub("", _SOURCE.sub("", text))
        for name, stream, spec in _DECLARED.findall(text):
            self.windows[name.lstrip(":")] = stream.strip("<:>"), between(ranged(spec))
        lengths = [
            seconds(number)
            for number in re.findall(r"\b(?:STEP|RANGE|TUMBLING)\s+(\w+)", text, re.IGNORECASE)
        ]
        self.grain = math.gcd(*lengths)
        """Of this every close is a multiple, and of pushes every time."""
        self.sparql = re.sub(
            rf"\bWINDOW\s+({NAME})",
            lambda found: f"GRAPH <urn:w:{found[1].lstrip(':')}>",
            _DECLARED.sub("", text),
        )


class Sparq(Machine):
    """Windows that open at T0 and behind; of several the last content that has closed is held."""

    def read(self, text):
        text = _REGISTER.sub("", text)
        words = r"(?:TUMBLING|SLIDING)?\s*(?:RANGE|STEP|T0|MAXDELAY|ROWS)\s+\w+"
        clause = rf"FROM NAMED WINDOW ({NAME}) ON ({NAME}) \[?((?:\s*{words})+)\]?"
        closes = []
        for name, stream, spec in re.findall(clause, text):
            numbers = dict(re.findall(r"(RANGE|STEP|T0|ROWS)\s+(\w+)", spec))
            if "ROWS" in numbers:
                self.windows[name.strip("<>")] = stream.strip("<>"), newest(int(numbers["ROWS"]))
                continue
            width = seconds(numbers["RANGE"])
            step, start = seconds(numbers.get("STEP", numbers["RANGE"])), seconds(numbers.get("T0", "0"))
            self.windows[name.strip("<>")] = stream.strip("<>"), between(self.last(width, step, start))
            closes += [step, start + width]
        self.grain = math.gcd(*closes) or 1
        self.sparql = re.sub(r"\bWINDOW\s+<([^>]*)>", r"GRAPH <urn:w:\1>", re.sub(clause, "", text))

    @staticmethod
    def last(width, step, start):
        def ends(t):
            opened = [o for o in range(start, t + 1, step) if o + width <= t]
            return (opened[-1], opened[-1] + width) if opened else (0, 0)

        return ends


class Janus(Machine):
    """Windows of streams that are live, and of logs; a log is the trace of its name."""

    unit = "ms"
    reading = ("--engine", "janus")  # what has live windows alone is RSP-QL by itself

    def read(self, text):
        clause = rf"FROM NAMED WINDOW ({NAME}) ON (?:STREAM|LOG) ({NAME})\s*\[([^\]]*)\]"
        prefixes = dict(re.findall(r"PREFIX (\w+:) <([^>]*)>", text))

        def iri(name):
            return (
                name.strip("<>") if name[0] == "<" else re.sub(r"^\w+:", lambda one: prefixes[one[0]], name)
            )

        numbers = []
        for name, stream, spec in re.findall(clause, text):
            self.windows[iri(name)] = iri(stream), between(self.placed(spec))
            numbers += map(int, re.findall(r"(?:RANGE|STEP|OFFSET) (\d+)", spec))
        self.grain = math.gcd(*numbers) or 500
        text = re.sub(clause, "", _REGISTER.sub("", text))
        self.sparql = re.sub(rf"\bWINDOW ({NAME})", lambda one: f"GRAPH <urn:w:{iri(one[1])}>", text)

    @staticmethod
    def placed(spec):
        words = {word: int(number) for word, number in re.findall(r"([A-Z]+) (\d+)", spec)}
        match words:
            case {"START": start, "END": end}:
                return lambda _: (start, end + 1)
            case {"OFFSET": offset, "RANGE": width}:
                return lambda t: (t - offset, t - offset + width + 1)
            case {"RANGE": width, "STEP": step}:
                return lambda t: (t // step * step - width, t // step * step)


class Cqels2(Machine):
    """Windows of streams with bare names, in FROM STREAM, in blocks, or with names."""

    def read(self, text):
        self.graphs_alone = bool(re.search(r"FROM\s+NAMED\s+<", text) and not re.search(r"FROM\s+<", text))
        text = re.sub(r"--[^\n]*", "", re.sub(r"REGISTER\s+QUERY\s+\S+\s+AS", "", text))
        head, brace, body = text.partition("{")
        streams = dict(re.findall(r"FROM\s+STREAM\s+(\S+)\s*\[([^\]]*)\]", head, re.IGNORECASE))
        named = re.findall(
            r"WINDOW\s+<?([^>\s]+)>?\s+ON\s+(?:STREAM\s+)?(\S+)\s*\[([^\]]*)\]", head, re.IGNORECASE
        )
        graphs = re.search(r"FROM\s+(?:STATIC\s+|NAMED\s+)?<", head, re.IGNORECASE)
        blocks = re.search(r"\b(STREAM\s+\w+\s*[\[{]|WINDOW\s+\S+\s*\{)", body, re.IGNORECASE)
        for name, stream, spec in [*((name, name, spec) for name, spec in streams.items()), *named]:
            implicit = len(streams) == 1 and not graphs and not blocks
            self.windows["" if implicit else name] = stream, self.shown(spec)
        for number, (stream, spec) in enumerate(
            re.findall(r"STREAM\s+(\w+)\s*\[([^\]]*)\]", body, re.IGNORECASE)
        ):
            self.windows[f"own{number}"] = stream, self.shown(spec)
            body = re.sub(r"STREAM\s+\w+\s*\[[^\]]*\]", f"GRAPH <urn:w:own{number}>", body, count=1)
        body = re.sub(r"\bSTREAM\s+(\w+)", r"GRAPH <urn:w:\1>", body)
        body = re.sub(r"\bWINDOW\s+<?([^>\s]+)>?\s*\{", r"GRAPH <urn:w:\1> {", body)
        body = re.sub(r"(\?\w+)\s+(DESC|ASC)\b(?!\s*\()", r"\2(\1)", re.sub(r"\bSTATIC\s*\{", "{", body))
        head = re.sub(r"FROM\b.*?(?=FROM\b|WHERE|$)", "", head, flags=re.IGNORECASE | re.DOTALL)
        head = re.sub(r"(\?\w+|\)),(?=\s*[?(])", r"\1 ", re.sub(r"^\s*[IDR]STREAM", "", head))
        self.sparql = self.full(head + brace + body)

    def shown(self, spec):
        if spec.strip().upper() == "NOW":
            self.pushed = True
            return lambda t, own: [triple for time, triple in own if time == t]
        if found := re.match(r"\s*TRIPLES\s+(\d+)", spec, re.IGNORECASE):
            self.pushed = True
            return newest(int(found[1]))
        step, ends = span(spec)
        self.grain = math.gcd(self.grain, step) if self.grain > 1 else step
        return between(lambda t: (ends(t)[0], ends(t)[1] + 1))
