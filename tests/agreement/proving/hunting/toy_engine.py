"""A small RSP-QL engine behind an adapter, with one fault by its name: `python toy_engine.py FAULT [CHANCE]`.

It shares no code with lars: windows by arithmetic, answers by pyoxigraph over each window's content. Without
a fault it is right: windows (o, c] from time 0, reported when a later time comes and at the end.
"""

import itertools
import json
import random
import re
import sys
from collections import Counter

import pyoxigraph as ox

TRUE = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'
ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
FAULT = sys.argv[1] if len(sys.argv) > 1 else "right"
LABELS_KEPT = ("blanks-as-one", "labels-kept")


def milliseconds(text):
    number, unit = re.fullmatch(r"(?:PT)?(\d+)(\w*)", text).groups()
    return int(number) * {"": 1, "ms": 1, "s": 1000, "S": 1000, "m": 60000, "M": 60000}[unit]


class Query:
    """What is read of a query's text: its windows, its operator, and SPARQL with windows as named graphs."""

    def __init__(self, text):
        self.prefixes = dict(re.findall(r"PREFIX\s+(\w*):\s*<([^>]*)>", text))
        declared = r"FROM NAMED WINDOW\s+(\S+)\s+ON\s+(?:STREAM\s+)?(\S+)\s+\[RANGE\s+(\w+)\s+STEP\s+(\w+)\]"
        self.windows = [
            (self.iri(name), self.iri(stream), milliseconds(length), milliseconds(step))
            for name, stream, length, step in re.findall(declared, text)
        ]
        if not self.windows:
            raise ValueError("no window")
        self.operator = re.search(r"REGISTER\s+(\w+)", text)[1].upper()
        plain = re.sub(r"REGISTER\s+\w+\s+<[^>]*>\s+AS", "", re.sub(declared, "", text))
        self.sparql = changed_query(re.sub(r"\bWINDOW\b", "GRAPH", plain))
        self.selected = re.search(r"SELECT (.*)", plain)
        ox.Store().query(self.sparql)
        self.windows = [changed_window(n, window, self.windows) for n, window in enumerate(self.windows)]

    def iri(self, text):
        if text.startswith("<"):
            return text[1:-1]
        prefix, local = text.split(":")
        return self.prefixes[prefix] + local


COPIES = ("", *(f"-{n}" for n in range(1, 13)))
NUMBERS = itertools.count()
GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
REWRITTEN = {
    "filter-ignored": (r"FILTER\([^)]*\)", ""),
    "filter-negated": (r"FILTER\(([^)]*)\)", r"FILTER(!(\1))"),
    "filter-border": (r"FILTER\(\?a >= 2\)", "FILTER(?a > 2)"),
    "optional-as-join": (rf"OPTIONAL ({GROUP})", r"\1"),
    "optional-ignored": (rf"OPTIONAL {GROUP}", ""),
    "optional-elsewhere": (rf"\}}\s+OPTIONAL {GROUP}", "}"),
    "having-ignored": (r"HAVING.*", ""),
    "descending-ignored": (r"DESC\((\?a)\)", r"\1"),
    "equal-by-term": (r"FILTER\(\?a = 2\.0\)", "FILTER(sameTerm(?a, 2.0))"),
    "optional-as-union": (
        rf"(\?s :p \?a \.|GRAPH :w1 {GROUP})\s+OPTIONAL ({GROUP})",
        r"{ \1 } UNION \2",
    ),
    "union-first": (rf"({GROUP}) UNION {GROUP}", r"\1"),
    "union-last": (rf"{GROUP} UNION ({GROUP})", r"\1"),
    "minus-ignored": (r"MINUS \{[^{}]*\}", ""),
    "distinct-ignored": (r"DISTINCT ", ""),
    "projection-lost": (r"SELECT (?!.*\()(?:DISTINCT )?[^\n]*", "SELECT *"),
    "join-apart": (r"\?s :p \?a \. \?s :q \?b \.", "?s :p ?a . ?other :q ?b ."),
    "join-first": (r"\?s :p \?a \. \?s :q \?b \.", "?s :p ?a ."),
    "group-ignored": (r"GROUP BY \?s", ""),
    "count-distinct": (r"COUNT\(", "COUNT(DISTINCT "),
    "count-as-sum": (r"COUNT\(", "SUM("),
    "always-distinct": (r"SELECT (?!DISTINCT)", "SELECT DISTINCT "),
    "not-exists-ignored": (r"FILTER NOT EXISTS \{[^{}]*\}", ""),
    "union-distinct": (rf"({GROUP} UNION {GROUP})", r"{ SELECT DISTINCT * WHERE { \1 } }"),
    "join-distinct": (r"(?s)WHERE \{(.*UNION.*:r \?b.*)\}", r"WHERE { { SELECT DISTINCT * { \1 } } }"),
    "windows-distinct": (
        r"(?s)WHERE \{(.*UNION.*:w2.*:r \?b.*)\}",
        r"WHERE { { SELECT DISTINCT * { \1 } } }",
    ),
    "filter-as-text": (r"FILTER\(\?a >= 2\)", 'FILTER(STR(?a) >= "2")'),
    "limit-ignored": (r"LIMIT \d+", ""),
    "order-ignored": (r"ORDER BY (\S+) \S+", r"ORDER BY DESC(\1)"),
    "filter-errors-kept": (r"FILTER\(([^)]*)\)", r"FILTER(COALESCE(\1, true))"),
    "not-exists-as-exists": (r"FILTER NOT EXISTS", "FILTER EXISTS"),
    "predicates-ignored": (r"(?<= ):[pqr](?= )", lambda _: f"?any{next(NUMBERS)}"),
    "list-content": (
        r"(\?\w) :([pqr]) (\?\w) \.",
        lambda found: "{{ {} }}".format(" UNION ".join(found.expand(rf"{{ \1 :\2{n} \3 }}") for n in COPIES)),
    ),
    "limit-one": (r"\}\s*(GROUP BY \?s)?\s*(HAVING.*)?\s*$", r"} \1 \2 LIMIT 1"),
    "minus-all": (r"MINUS \{ \?s :q \?b \. \}", "FILTER NOT EXISTS { ?any :q ?b . }"),
    "optional-both": (rf"OPTIONAL ({GROUP})", r"{ BIND(1 AS ?none) } UNION \1"),
    "minus-as-not-exists": (r"MINUS", "FILTER NOT EXISTS"),
    "bind-ignored": (r"BIND\((?:[^()]|\([^()]*\))*\)", ""),
    "values-first": (r"(VALUES \?s \{ \S+)[^}]*", r"\1 "),
    "values-ignored": (r"VALUES \?s \{[^}]*\}", ""),
    "path-once": (r":p \+ ", ":p "),
    "average-cut": (
        r"AVG\(\?a\)",
        "<http://www.w3.org/2001/XMLSchema#integer>(FLOOR(AVG(?a)))",
    ),
    "min-as-text": (r"MIN\(\?a\)", "STRDT(MIN(STR(?a)), <http://www.w3.org/2001/XMLSchema#integer>)"),
    "min-gives-text": (r"MIN\(\?a\)", "MIN(STR(?a))"),
    "order-as-text": (r"ORDER BY (\?a|DESC\(\?a\))", lambda m: f"ORDER BY {m[1].replace('?a', 'STR(?a)')}"),
    "sum-as-average": (r"SUM\(", "AVG("),
    "sum-of-numbers": (r"SUM\(\?a\)", "SUM(IF(isNumeric(?a), ?a, 0))"),
    "order-reversed": (
        r"ORDER BY (\S+) \?s",
        lambda found: f"ORDER BY {'DESC(?a)' if found[1] == '?a' else '?a'} DESC(?s)",
    ),
    "limit-one-more": (r"LIMIT 1", "LIMIT 2"),
    "offset-one-more": (r"LIMIT 1", "LIMIT 1 OFFSET 1"),
    "union-lazy": (
        rf"({GROUP}) UNION ({GROUP})",
        lambda m: f"{m[1]} UNION {{ {m[2]} FILTER NOT EXISTS {m[1].replace('?', '?other_')} }}",
    ),
    "union-if-empty": (
        rf"({GROUP}) UNION \{{ ([^{{}}]*) \}}",
        r"{ \1 } UNION { \2 FILTER NOT EXISTS { ?x :p ?y } }",
    ),
}


def changed_query(text):
    if FAULT not in REWRITTEN:
        return text
    changed = re.sub(*REWRITTEN[FAULT], text)
    return re.sub(r"SELECT \?s (\(COUNT)", r"SELECT \1", changed) if FAULT == "group-ignored" else changed


def changed_window(number, window, windows):
    name, stream, length, step = window
    point = 1 if length % 1000 or step % 1000 else 1000
    last = {one[1]: one[0] for one in windows}
    return {
        "range-longer": (name, stream, length + point, step),
        "range-shorter": (name, stream, max(point, length - point), step),
        "range-double": (name, stream, 2 * length, step),
        "range-as-step": (name, stream, step, step),
        "step-as-range": (name, stream, length, length),
        "step-longer": (name, stream, length, step + point),
        "step-one": (name, stream, length, point),
        "one-stream": (name, windows[0][1], length, step),
        "streams-exchanged": (name, windows[-1 - number][1], length, step),
        "range-of-first": (name, stream, windows[0][2], step),
        "step-of-last": (name, stream, length, windows[-1][3]),
        "last-window-fed": (name, stream if last[stream] == name else "none", length, step),
    }.get(FAULT, window)


class Run:
    """A registered query, and what has arrived."""

    def __init__(self, query, static):
        self.query, self.now, self.reported = query, -1, -1
        self.static = [] if FAULT == "static-ignored" else static
        if FAULT == "static-single":
            self.static = list({(quad.subject, quad.predicate): quad for quad in static}.values())
        self.elements, self.before, self.reports, self.pushes, self.pending = [], Counter(), 0, 0, []
        self.random, self.last, self.ever, self.stale = random.Random(7), None, Counter(), []
        self.clock, self.consumed, self.contents, self.evaluated = {}, 0, {}, False
        self.anchor, self.shown, self.counts, self.final = 0, {}, Counter(), None
        self.began, self.given, self.instants, self.rested = False, 0, Counter(), -5

    def push(self, t, stream, triple):
        if FAULT == "times-even":
            t = t // 2 * 2
        if FAULT == "late-restamped":
            t = max(t, self.now)
        if t < self.now:
            return []
        self.clock[stream] = t
        if FAULT == "trigger-shown":
            self.elements.append((t, stream, triple))
        if FAULT == "evicts-early":
            oldest = t - max(window[2] for window in self.query.windows)
            self.elements = [one for one in self.elements if one[0] > oldest]
        out = list(self.due(t))
        if FAULT == "closes-at-first":
            self.elements.append((t, stream, triple))
            out += self.due(t, last=True)
        if FAULT == "languages-not-read" and isinstance(triple.object, ox.Literal) and triple.object.language:
            triple = ox.Triple(triple.subject, triple.predicate, ox.Literal(triple.object.value))
        if FAULT == "overwrites":
            key = (stream, triple.subject, triple.predicate)
            self.elements = [e for e in self.elements if (e[1], e[2].subject, e[2].predicate) != key]
        if FAULT not in ("trigger-shown", "closes-at-first") and not self.lost(t, stream, triple):
            self.elements.append((t, stream, triple))
        if FAULT == "lags":
            self.elements[-1:], self.pending = self.pending, self.elements[-1:]
        self.pushes += 1
        self.now = t
        if FAULT == "echo":
            names = self.names()
            return [
                {"t": t, "rows": [dict(zip(names, map(str, (triple.subject, triple.object)), strict=False))]}
            ]
        if FAULT == "each-arrival":
            return [report for report in [self.report(t, t)] if report]
        if FAULT == "lags":
            self.reported = max(self.reported, t - 1)
        if FAULT == "next-push":
            out, self.pending = self.pending, out
        if FAULT == "holds-last":
            out, self.pending = [*self.pending, *out][:-1], [*self.pending, *out][-1:]
        return self.answered(out, t)

    def answered(self, out, t):
        if FAULT == "first-of-several":
            return out[:1]
        if FAULT == "last-of-several":
            return out[-1:]
        if FAULT == "arrival-time":
            return [{**one, "t": t} for one in out]
        if FAULT == "rests":
            return [one for one in out if self.is_rested(one["t"])]
        if FAULT == "multiples":
            return [one for one in out if one["t"] % 3 == 0]
        if FAULT == "report-twice":
            return [one for report in out for one in (report, report)]
        if FAULT == "constant":
            return [{"t": t, "rows": [dict.fromkeys(self.names(), "<http://e/constant>")]} for _ in out]
        return out

    def is_rested(self, t):
        """Whether the last report that came is at least 5 ms before a time."""
        rested = t - self.rested >= 5
        self.rested = t if rested else self.rested
        return rested

    def names(self):
        return (
            re.findall(
                r"\?(\w+)(?=[\s)]|$)", re.sub(r"\(\w+\([^)]*\) AS (\?\w+)\)", r"\1", self.query.selected[1])
            )
            if self.query.selected
            else ["Answer"]
        )

    def lost(self, t, stream, triple):
        same = [one for one in self.elements if one[0] == t]
        return {
            "first-triple-lost": not self.pushes,
            "instant-first": bool(same),
            "instant-second": FAULT == "instant-second" and self.is_second(t),
            "zero-lost": t == 0,
            "seen-lost": any(one[1:] == (stream, triple) for one in self.elements),
            "third-lost": self.pushes % 3 == 2,
            "fourth-lost": self.pushes % 4 == 3,
            "second-stream-lost": stream != self.query.windows[0][1],
            "integers-lost": triple.object.value.isdecimal(),
        }.get(FAULT, False)

    def is_second(self, t):
        """Whether this is the second triple of an instant."""
        self.instants[t] += 1
        return self.instants[t] == 2

    def due(self, t, last=False):
        """Yield the reports of the closes that a time makes certain."""
        start = {"t0-500": 500, "t0-1000": 1000}.get(FAULT, 0)
        closes = set()
        if FAULT == "restart-after-gap" and self.elements and t - self.elements[-1][0] > 5000:
            self.anchor = t - t % 1000 + 1000
        if FAULT == "gap-anchored" and self.elements and t - self.elements[-1][0] > 4:
            self.elements.clear()
        opened = self.elements[0][0] if self.elements and FAULT == "warm-up" else -1e9
        for number, window in enumerate(self.query.windows):
            if FAULT == "first-window-reports" and number:
                break
            _, _, length, step = window
            first = start + self.anchor + length - (length if FAULT == "early-windows" else 0)
            close = max(first, first + (self.reported - first) // step * step)
            while close <= t:
                shown = FAULT == "empty-window" or self.content(window, close)
                if self.reported < close and (close < t or last) and shown and close - length >= opened:
                    closes.add(close)
                close += step
        if FAULT == "after-empty":
            step = min(window[3] for window in self.query.windows)
            first = min(window[2] for window in self.query.windows)
            closes = {at for at in closes if at == first or any(self.contents_at(at - step))}
        if FAULT == "latest-close":
            ends = {
                at for _, _, length, step in self.query.windows for at in range(length, int(t) + last, step)
            }
            closes = {close for close in closes if close == max(ends, default=close)}
        for close in sorted(closes):
            if FAULT == "own-stream-clock" and not self.is_closed_by(close):
                break
            self.reported = close
            report = self.report(close, close)
            if report:
                self.final = report
                yield report

    def contents_at(self, at):
        return [self.content(window, at) for window in self.query.windows]

    def is_closed_by(self, close):
        """Whether each stream of the query has come after a close."""
        return all(self.clock.get(one[1], 0) > close for one in self.query.windows)

    def content(self, window, at):
        _, stream, length, step = window
        start = {"t0-500": 500, "t0-1000": 1000}.get(FAULT, 0)
        passed = -((start + length - at) // step)
        opening = start + max(0, passed) * step if FAULT != "each-arrival" else at - length
        if FAULT == "step-too-long":
            opening -= step
        if FAULT == "open-slides":
            opening = at - length
        opening += {"range-two-longer": -2, "range-two-shorter": 2}.get(FAULT, 0)
        late = {"first-window-late": 0, "last-window-late": -1}.get(FAULT)
        several = len(self.query.windows) > 1
        if FAULT == "shift-step" or (several and late is not None and window is self.query.windows[late]):
            at, opening = at - step, opening - step
        if FAULT == "early-windows":
            opening = start + passed * step
        holds = {
            "closed": lambda u: opening <= u <= at,
            "closed-and-rstream": lambda u: opening <= u <= at,
            "high-open": lambda u: opening <= u < at,
            "open": lambda u: opening < u < at,
            "never-forgets": lambda u: u <= at,
        }.get(FAULT, lambda u: opening < u <= at)
        if FAULT == "trigger-shown":
            holds = lambda u: opening < u <= at or u == self.elements[-1][0] > at  # noqa: E731
        streams = {one[1] for one in self.elements} if FAULT == "stream-names-ignored" else {stream}
        found = [triple for u, name, triple in self.elements if name in streams and holds(u)]
        found = kept_part(found)
        if FAULT in ("first-instant", "last-instant") and found:
            times = [u for u, name, _ in self.elements if name in streams and holds(u)]
            found = [one for u, one in zip(times, found, strict=True) if u == times[PLACES[FAULT]]]
        if FAULT == "second-window-closed" and window == self.query.windows[-1] != self.query.windows[0]:
            found = [triple for u, name, triple in self.elements if name == stream and opening <= u <= at]
        if FAULT == "window-difference":
            kept = [one[2] for one in self.elements if at - step - length < one[0] <= at - step]
            found = [one for one in found if one not in kept]
        if FAULT == "keeps-first-three":
            found = found[:3]
        if FAULT == "closes-only" and (at - length) % step and several:
            closed = at - (at - length) % step
            return self.content(window, closed) if closed >= length else []
        found = self.unforeseen_content(window, at, found)
        return numbered(found) if FAULT == "list-content" else found

    def unforeseen_content(self, window, at, found):
        """Return the content of a window as faults leave it that were invented later."""
        name, stream, _, step = window
        mine = [one for one in self.elements if one[1] == stream]
        match FAULT:
            case "empty-slide-keeps":
                if not any(at - step < u <= at for u, _, _ in mine):
                    found = self.shown.get(name, found)
                self.shown[name] = found
            case "slide-early":
                late = [triple for u, _, triple in mine if at - step < u <= at]
                found = [one for one in found if one not in late]
            case "same-by-text":
                known = {(one.subject, one.predicate, one.object.value): one for one in reversed(found)}
                found = list(known.values())
            case "optional-remembers" if "OPTIONAL" in self.query.sparql:
                found = [*found, *(one for u, _, one in mine if u <= at and "/q" in one.predicate.value)]
            case "subject-first":
                found = list({one.subject: one for one in reversed(found)}.values())
            case "even-times":
                found = [one for u, _, one in mine if at - window[2] < u - u % 2 <= at]
            case "instant-same-subject":
                last = {(u, one.subject): one for u, _, one in mine}
                found = [one for u, _, one in mine if one in found and last[u, one.subject] == one]
            case "consumed":
                opening = max(self.consumed, at - window[2])
                found = [triple for u, _, triple in mine if opening < u <= at]
            case "minus-remembers" if "MINUS" in self.query.sparql:
                found = [*found, *(one for u, _, one in mine if u <= at and "/q" in one.predicate.value)]
        return found

    def report(self, at, t):
        contents = self.contents_at(at)
        if FAULT == "second-window-stale":
            contents[1:], self.contents = (
                (self.contents.get(n, []) for n in range(1, len(contents))),
                dict(enumerate(contents)),
            )
        self.consumed = at
        if FAULT == "names-exchanged":
            contents.reverse()
        store = ox.Store()
        again = {"static-once": self.reports, "static-at-first": self.evaluated}.get(FAULT)
        self.evaluated = True
        store.extend([] if again else self.static)
        for window, content in zip(self.query.windows, contents, strict=True):
            if FAULT == "static-mixed":
                store.extend(ox.Quad(*own) for own in content)
            for own in content:
                names = [one[0] for one in self.query.windows] if FAULT == "windows-merged" else [window[0]]
                store.extend(ox.Quad(*own, ox.NamedNode(name)) for name in names)
        text = self.query.sparql
        if FAULT == "filter-after-first" and self.reports:
            text = re.sub(r"FILTER\([^)]*\)", "", text)
        rows = self.rows(store.query(text))[: KEPT_ROWS.get(FAULT)]
        if FAULT == "join-same-time" and ":q ?b ." in self.query.sparql and len(self.query.windows) == 1:
            rows = [row for time in {e[0] for e in self.elements} for row in self.at_once(at, time)]
        if FAULT == "blanks-anew":
            rows = [relabelled(row, at) for row in rows]
        rows = without_blanks(self.remembered(self.operated(rows)))
        self.reports += bool(rows)
        rows, t = unforeseen(self, rows, at, t)
        return self.altered(rows, t)

    def at_once(self, at, time):
        """Return the rows of what arrived at one time."""
        store = ox.Store()
        store.extend(self.static)
        every, self.elements = self.elements, [one for one in self.elements if one[0] == time]
        for window in self.query.windows:
            store.extend(ox.Quad(*own, ox.NamedNode(window[0])) for own in self.content(window, at))
        self.elements = every
        return self.rows(store.query(self.query.sparql))

    def rows(self, results):
        if isinstance(results, ox.QueryBoolean):
            true = ONE if FAULT == "ask-as-1" else TRUE
            told = not bool(results) if FAULT == "ask-negated" else bool(results)
            return [(("Answer", true),)] if told or FAULT == "ask-always" else []
        names = [variable.value for variable in results.variables]
        return [tuple((name, str(one[name])) for name in names if one[name] is not None) for one in results]

    def operated(self, rows):
        now, before = Counter(rows), self.before
        self.before = now
        if f"{self.query.operator.lower()}-before-last" == FAULT:
            before, self.stale = self.stale or Counter(), before
        every = {
            "always-rstream": "RSTREAM",
            "closed-and-rstream": "RSTREAM",
            "always-istream": "ISTREAM",
            "always-dstream": "DSTREAM",
        }
        own = {
            ("istream-as-rstream", "ISTREAM"): "RSTREAM",
            ("dstream-as-istream", "DSTREAM"): "ISTREAM",
            ("operators-exchanged", "DSTREAM"): "ISTREAM",
            ("operators-exchanged", "ISTREAM"): "DSTREAM",
        }
        operator = self.query.operator
        match every.get(FAULT, own.get((FAULT, operator), operator)):
            case "ISTREAM" if FAULT == "istream-last-nonempty":
                self.before = now or before
                return list((now - before).elements())
            case "DSTREAM" if FAULT == "dstream-skips-empty" and not now:
                return []
            case "ISTREAM" if FAULT == "istream-once":
                new = now - self.ever
                self.ever |= now
                return list(new.elements())
            case "ISTREAM" if FAULT == "istream-first-lost" and not self.began:
                self.began = bool(now)
                return []
            case "DSTREAM" if FAULT == "dstream-last-nonempty":
                self.before = now or before
                return list((before - now).elements())
            case "ISTREAM" if FAULT == "istream-by-subject":
                return [row for row in rows if row[:1] not in {one[:1] for one in before}]
            case "ISTREAM":
                return list((now - before).elements())
            case "DSTREAM":
                return list((before - now).elements())
            case _:
                return rows

    def summed(self, row):
        """Return a row whose number is added to that of the same group before."""
        key = tuple(one for one in row if one[0] != "n")
        found = re.match(r'"(\d+)"', dict(row).get("n", ""))
        self.counts[key] += int(found[1]) if found else 0
        return tuple((n, re.sub(r'^"\d+"', f'"{self.counts[key]}"', v) if n == "n" else v) for n, v in row)

    def remembered(self, rows):
        now, last, ever = Counter(rows), self.last, self.ever
        self.last, self.ever = now or last, ever | now
        if FAULT == "equal-report-lost" and now == last:
            return []
        if FAULT == "one-evaluation-old":
            self.stale, rows = rows, self.stale
            return rows
        if FAULT == "row-once-ever":
            return list((now - ever).elements())
        if FAULT == "accumulates":
            return list((ever | now).elements())
        return rows

    def altered(self, rows, t):
        if FAULT == "row-short":
            rows = rows[:-1]
        if FAULT == "first-row-lost-of-several" and len(rows) > 1:
            rows = rows[1:]
        if FAULT == "one-row":
            rows = rows[:1]
        if FAULT == "keys-unbound" and "GROUP BY" in self.query.sparql:
            rows = [tuple((n, v) for n, v in row if n != "s") for row in rows]
        if FAULT == "two-rows":
            rows = rows[:2]
        if FAULT == "last-row-twice":
            rows = [*rows, *rows[-1:]]
        if FAULT == "limit-in-all" and "LIMIT" in self.query.sparql:
            rows = rows[: 1 - self.given]
            self.given += len(rows)
        if FAULT == "rows-twice":
            rows = [*rows, *rows]
        if FAULT == "only-first-report" and self.reports > 1:
            return None
        if FAULT == "first-report-lost" and self.reports == 1:
            return None
        if FAULT == "every-third-missing" and rows and self.reports % 3 == 0:
            return None
        if FAULT == "every-second" and rows and self.reports % 2 == 0:
            return None
        if FAULT == "random" and random.random() < 0.3:
            return None
        if FAULT == "count-plus-one":
            rows = [tuple((n, plus_one(v) if n == "n" else v) for n, v in row) for row in rows]
        if FAULT == "unbound-as-text":
            rows = [(*row, *((n, '""') for n in self.names() if n not in dict(row))) for row in rows]
        if FAULT == "no-zero-count":
            rows = [row for row in rows if ("n", ONE.replace("1", "0", 1)) not in row]
        if FAULT == "rows-sorted-out":
            rows = [row for row in rows if "@" not in str(row)]
        if FAULT == "unbound-b":
            rows = [tuple((n, v) for n, v in row if n != "b") for row in rows]
        if FAULT == "kinds-lost":
            rows = [tuple((n, re.sub(r"\^\^<[^>]*>$", "", v)) for n, v in row) for row in rows]
        if FAULT == "columns-exchanged":
            other = {"s": "a", "a": "s"}
            both = all({"s", "a"} <= {n for n, _ in row} for row in rows)
            rows = [tuple((other.get(n, n) if both else n, v) for n, v in row) for row in rows]
        if FAULT == "languages-lost":
            rows = [tuple((n, re.sub(r"@\w+$", "", v)) for n, v in row) for row in rows]
        if FAULT == "numbers-one-more":
            rows = [tuple((n, plus_one(v)) for n, v in row) for row in rows]
        t = {
            "late-1ms": t + 1,
            "late-1s": t + 1000,
            "early-1s": t - 1000,
            "times-thousand": t * 1000,
            "hour-late": t + 3600000,
        }.get(FAULT, t)
        t = {"time-zero": 0, "time-of-opening": t - self.query.windows[0][2]}.get(FAULT, t)
        if FAULT == "late-step" or (FAULT == "several-late" and len(self.query.windows) > 1):
            t += self.query.windows[0][3]
        keeps_empty = FAULT in ("empty-reported", "empty-window")
        return {"t": t, "rows": [dict(row) for row in rows]} if rows or keeps_empty else None


def unforeseen(run, rows, at, t):
    """Return rows and time as faults leave them that were invented after `lars hunt` was written."""
    match FAULT:
        case "optional-unless-some":
            bound = [row for row in rows if "b" in dict(row)]
            rows = bound if "OPTIONAL" in run.query.sparql and bound else rows
        case "time-of-last":
            _, stream, length, _ = run.query.windows[0]
            t = max((u for u, name, _ in run.elements if name == stream and at - length < u <= at), default=t)
        case "sum-double":
            exact = "integer" if "SUM" not in run.query.sparql else "double"
            rows = [
                tuple((n, v.replace("integer", exact) if n == "n" else v) for n, v in row) for row in rows
            ]
        case "first-two-lost":
            rows = [] if run.reports <= 2 else rows
        case "stops-after-four":
            rows = [] if run.reports > 4 else rows
        case "stale":
            rows = rows or run.stale
            run.stale = rows
        case "dedupe-first-column":
            rows = list({row[:1]: row for row in reversed(rows)}.values())
        case "optional-first-match":
            first = {tuple(one for one in row if one[0] != "b"): row for row in reversed(rows)}
            rows = list(first.values()) if "OPTIONAL" in run.query.sparql else rows
        case "later-and-later":
            t += 1000 * run.reports
        case "subject-cut":
            rows = [tuple((n, v.replace("s2>", "s>") if n == "s" else v) for n, v in row) for row in rows]
        case "count-capped":
            rows = [
                tuple((n, re.sub(r'^"[3-9]"', '"2"', v) if n == "n" else v) for n, v in row) for row in rows
            ]
        case "distinct-across" if "DISTINCT" in run.query.sparql:
            rows = [row for row in rows if not run.counts[row]]
            run.counts.update(rows)
        case "sum-not-reset" if "AS ?n" in run.query.sparql:
            rows = [run.summed(row) for row in rows]
        case "filter-error-aborts" if "FILTER(" in run.query.sparql:
            objects = [one.object for window in run.query.windows for one in run.content(window, at)]
            rows = rows if all("integer" in str(one) for one in objects) else []
        case "ask-changed" if "ASK" in run.query.sparql:
            rows, run.stale = ([] if rows == run.stale else rows), rows
        case "first-group-only" if "GROUP BY" in run.query.sparql:
            rows = rows[:1]
        case "both-new":
            new = {name for u, name, _ in run.elements if at - run.query.windows[0][3] < u <= at}
            rows = rows if {one[1] for one in run.query.windows} <= new else []
        case "first-digit":
            rows = [tuple((n, re.sub(r'^"(\d)\d+"\^', r'"\1"^', v)) for n, v in row) for row in rows]
    return rows, t


KEPT_ROWS = {"keeps-one-row": 1, "keeps-two-rows": 2, "keeps-three-rows": 3}


def relabelled(row, mark):
    return tuple((name, re.sub("^_:", f"_:mark{mark}", value)) for name, value in row)


def without_blanks(rows):
    """Return rows whose blank nodes faults leave out or name by row."""
    if FAULT == "blanks-not-reported":
        return [row for row in rows if "_:" not in str(row)]
    return [relabelled(row, n) for n, row in enumerate(rows)] if FAULT == "blanks-by-row" else rows


PLACES = {"first-instant": 0, "last-instant": -1}


def kept_part(found):
    """Return the triples of a window that faults leave of its content."""
    found = list(dict.fromkeys(found)) if FAULT in ("keeps-two", "keeps-first", "oldest-out") else found
    match FAULT:
        case "keeps-two":
            return found[-2:]
        case "keeps-first":
            return found[:1]
        case "oldest-out":
            return found[1:] if len(found) > 1 else found
        case "newest-out":
            return found[:-1]
    return found


def numbered(triples):
    """Return triples with the number of their arrival in their predicates."""
    seen, found = Counter(), []
    for one in triples:
        number = seen[one]
        seen[one] += 1
        predicate = ox.NamedNode(f"{one.predicate.value}-{number}") if number else one.predicate
        found.append(ox.Triple(one.subject, predicate, one.object))
    return found


def plus_one(text):
    found = re.fullmatch(r'"(\d+)"(\^\^.*)', text)
    return f'"{int(found[1]) + 1}"{found[2]}' if found else text


def reply(message, runs):
    """Return the reply to a message; the last of the runs is the one that is open."""
    if message["op"] == "open":
        try:
            static = [q for line in message.get("static", ()) for q in ox.parse(line, ox.RdfFormat.N_QUADS)]
            before = runs[0].elements[-2:] if runs and FAULT == "leaks-runs" else []
            runs[:] = [Run(Query(message["query"]), static)]
            runs[0].elements = [(1, *one[1:]) for one in before]
        except (ValueError, SyntaxError, KeyError, TypeError) as error:
            return {"error": str(error) or "unreadable"}
        return {"ok": True, "engine": "toy-1.0", "time_unit": "1ms", "dialect": "rspql", "flushes": True}
    (run,) = runs
    if message["op"] == "close":
        mute = FAULT in ("mute", "echo", "each-arrival", "no-flush", "constant") or silent(run)
        held = [] if FAULT == "lags" else run.pending
        last = [] if mute else run.answered([*held, *run.due(run.now, last=True)], run.now)
        last = last[:-1] if FAULT == "holds-last" else last
        if FAULT == "open-at-end" and run.reported < run.now:
            last += filter(None, [run.report(run.now, run.now)])
        again = [run.final] if FAULT == "flush-repeats" and run.final else []
        return {"reports": [*last, *again]}
    (quad,) = read(message["triple"])
    out = run.push(message["t"], message["stream"], quad.triple)
    return {"reports": [] if FAULT == "mute" or silent(run) else out}


def read(text):
    """Return the triple of a message; it has blank nodes of its own."""
    if FAULT == "blanks-as-one":
        text = re.sub(r"_:\w+", "_:one", text)
    if FAULT == "blanks-split":
        text = re.sub(r"_:(\w+) \.$", r"_:\1o .", text)
    return ox.parse(text, ox.RdfFormat.N_TRIPLES, rename_blank_nodes=FAULT not in LABELS_KEPT)


def silent(run):
    return FAULT == "ask-never" and "ASK" in run.query.sparql


if __name__ == "__main__":
    open_runs = []
    for line in sys.stdin:
        sys.stdout.write(json.dumps(reply(json.loads(line), open_runs)) + "\n")
        sys.stdout.flush()
