"""A published query as plain SPARQL of pyoxigraph over what its windows hold at each time.

It shares no code with the program: clauses of windows are cut out of the texts by a pattern.
"""

import re
from functools import cache

import pyoxigraph as ox

CLAUSE = re.compile(
    r"(from\s+)?stream\s+<([^>]*)>\s*\[range (\d+)(ms|s)\s*(?:(?:step|slide) (\d+)s)?\s*\]", re.IGNORECASE
)
AGGREGATE = re.compile(r"\(\s*avg\(", re.IGNORECASE)


class Side:
    """A query of one language with the windows that were cut out of it, and the input of its streams.

    `arrivals` are (time, stream, triple), times in `unit` ms; `static` are quads that are always there.
    """

    def __init__(self, text, arrivals, *, merged, unit=1, static=()):
        self.windows, self.merged, self.unit = [], merged, unit
        self.store = ox.Store()
        self.store.extend(static)
        text = re.sub(r"(?m)^\s*#.*$|#\?.*$|###.*$|^REGISTER QUERY \w+ AS$", "", text)
        plain = CLAUSE.sub(self.cut, text)
        self.text = re.sub(r"from (named )?<[^>]*>", "", plain, flags=re.IGNORECASE)
        # CQELS has no row of an aggregate over nothing, where SPARQL has one (T13).
        drops = not merged and AGGREGATE.search(self.text) and "group by" not in self.text.lower()
        self.asks = re.sub(r"(?is)\bselect\b.*?(?=\{)", "ASK ", self.text) if drops else None
        streams = {stream for stream, *_ in self.windows}
        self.arrivals = [one for one in arrivals if one[1] in streams]

    def cut(self, found):
        merged, stream, length, unit, step = found.groups()
        milliseconds = int(length) * (1000 if unit == "s" else 1)
        self.windows.append((stream, milliseconds // self.unit, int(step or 0) * 1000 // self.unit or 1))
        return "" if merged else f"graph <urn:window:{len(self.windows) - 1}> "

    def rows(self, t):
        """Return the columns and the rows at a time."""
        shown = []
        for number, (stream, length, step) in enumerate(self.windows):
            end = t - t % step
            graph = ox.DefaultGraph() if self.merged else ox.NamedNode(f"urn:window:{number}")
            inside = (one for at, own, one in self.arrivals if own == stream and end - length <= at <= end)
            shown += [ox.Quad(*one, graph) for one in inside]
        self.store.extend(shown)
        found = self.answers()
        for one in shown:
            self.store.remove(one)
        return found

    def answers(self):
        found = self.store.query(self.text)
        if isinstance(found, ox.QueryBoolean):
            return (), {()} if found else set()
        names = tuple(one.value for one in found.variables)
        if self.asks and not self.store.query(self.asks):
            return names, set()
        return names, {tuple(map(value, one)) for one in found}


def check_rows(verdicts, sides, last, *, columns=None, only=None):
    """Compare each whole period up to `last`, of one period alone if wanted, with the rows of pull and push.

    Returns how many whole periods were compared.
    """
    pull, push = sides
    pushed = {t: push.rows(t) for t in sorted({at for at, *_ in push.arrivals})}
    texts, compared = {}, 0
    for verdict in verdicts:
        assert len(verdict.intervals) == last // verdict.period
        for one in verdict.intervals if only in (None, verdict.period) else ():
            names, pulled = pull.rows(one.end)
            order = sorted(columns or names)
            names_in = next((own for own, _ in pushed.values()), names)
            reported = [rows for t, (_, rows) in pushed.items() if one.start < t <= one.end]
            theirs = on(names, pulled, order), on(names_in, set().union(*reported), order)
            assert one.agree == (theirs[0] == theirs[1])
            for mine, own in zip((one.pull, one.push), theirs, strict=True):
                assert {tuple(in_value(texts, text) for text in row) for row in mine} == own
            compared += 1
    return compared


def on(names, rows, wanted):
    places = [names.index(name) for name in wanted]
    return {tuple(row[place] for place in places) for row in rows}


@cache
def value(term):
    """Return what tells terms apart; pyoxigraph's store keeps numbers, not how they were written."""
    if isinstance(term, ox.Literal):
        kind = term.datatype.value.rpartition("#")[2]
        number = kind in {"double", "float", "decimal", "integer"}
        # A sum of doubles depends on its order, which SPARQL leaves open.
        return (float(f"{float(term.value):.12g}") if number else term.value, kind)
    return term if term is None else term.value


def in_value(known, text):
    """Return what tells a written term apart, kept in `known`."""
    if text not in known:
        (quad,) = ox.parse(f"<urn:s> <urn:p> {text} .".encode(), format=ox.RdfFormat.N_TRIPLES)
        known[text] = value(quad.object)
    return known[text]


def arrivals_of(text):
    """Return time, stream and triple of each line of a trace of timed quads."""
    found = []
    for line in text.splitlines():
        s, p, o, stream, t = re.fullmatch(r'(\S+) (\S+) (.*) <(\S+)> "(\d+)" \.', line).groups()
        (quad,) = ox.parse(f"{s} {p} {o} .".encode(), format=ox.RdfFormat.N_TRIPLES)
        found.append((int(t), stream, quad.triple))
    return found
