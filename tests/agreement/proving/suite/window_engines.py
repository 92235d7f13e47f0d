"""Engines written by others: the reference adapter with one thing done otherwise, rightly or wrongly.

What is right is another choice of what RSP-QL leaves open, one that no single parameter says: a t0 for
each window. What is wrong is of kinds that are not among the mutants, by which the suite was not chosen.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

import pyoxigraph as ox

from agreement.engines.adapters.messages import EngineReport, ProfileReply, PushReply, RefusedQueryError
from agreement.engines.adapters.oxigraph import PROFILE, OxigraphRun, register


class WindowRun(OxigraphRun):
    """The reference adapter's run; `asked` is its query, `t0` may be another for each window."""

    def change(self):
        """Change what was registered."""


@dataclass
class WindowEngine:
    """A stream engine whose runs are of a class."""

    run: type
    name: str = "window-engine"

    def open(self, registration):
        try:
            found = register({"query": registration.query, "static": registration.static})
        except ValueError as error:
            raise RefusedQueryError(str(error)) from None
        made = self.run(**{name: getattr(found, name) for name in ("query", "windows", "operator", "static")})
        made.change()
        return WindowSession(made)

    def end(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@dataclass
class WindowSession:
    run: OxigraphRun
    profile: ProfileReply = field(default_factory=lambda: ProfileReply.model_validate(PROFILE))

    def push(self, pushes):
        return [PushReply(reports=self._pushed(one)) for one in pushes]

    def _pushed(self, one):
        (quad,) = ox.parse(f"{' '.join(one.triple)} .", ox.RdfFormat.N_TRIPLES)
        return tuple(
            EngineReport.model_validate(r) for r in self.run.push(one.t, one.stream[1:-1], quad.triple)
        )

    def advance(self, _):
        return ()

    def close(self):
        return tuple(EngineReport.model_validate(r) for r in self.run.due(self.run.now, also=True))


class _StartsApart(WindowRun):
    """A t0 for each window, by its place."""

    starts = (0, 1)

    def start_of(self, window):
        return self.starts[self.windows.index(window) % len(self.starts)]

    def _at(self, window):
        self.start = self.start_of(window)

    def _closes(self, window, t):
        self._at(window)
        yield from [*super()._closes(window, t)] if self.start is not None else ()

    def _content(self, window, at):
        self._at(window)
        return super()._content(window, at) if self.start is not None else []


class StartsAreOne(_StartsApart):
    starts = (1, 0)


class StartsAreTwo(_StartsApart):
    starts = (2, 3)


class EachStreamsFirst(_StartsApart):
    """t0 of each window is the time of the first element of its stream."""

    def start_of(self, window):
        return next((int(t) for t, stream, _ in self.elements if stream == window.stream), None)


class EachStreamsFirstHighOpen(EachStreamsFirst):
    high_open = True

    def change(self):
        self.high_open = True


RIGHT = (WindowRun, _StartsApart, StartsAreOne, StartsAreTwo, EachStreamsFirst, EachStreamsFirstHighOpen)


class EachCloseReports(WindowRun):
    """Each window that closes is evaluated, also an empty one, and an empty answer is reported."""

    def _closes(self, window, t):
        close = self.start + window.width
        while close <= t:
            if close > self.last_time:
                yield close
            close += window.step

    def due(self, t, *, also):
        closes = {close for window in self.windows for close in self._closes(window, t) if close < t or also}
        for close in sorted(closes):
            self.last_time = close
            yield {"t": close, "rows": [dict(row) for row in self._answer(close)]}


class LastAnswerKeptOverEmptyWindows(EachCloseReports):
    """IStream compares with the last evaluation whose windows had an element."""

    def _answer(self, at):
        before = self.before
        rows = super()._answer(at)
        if not any(self._content(window, at) for window in self.windows):
            self.before = before
        return rows


class _Text(WindowRun):
    pattern, new = "", ""

    def change(self):
        self.query = re.sub(self.pattern, self.new, self.query)


def _text(name, pattern, new):
    return type(name, (_Text,), {"pattern": pattern, "new": new})


class _Rows(WindowRun):
    def _answer(self, at):
        return self.changed(super()._answer(at))


class DistinctAcrossWindows(_Rows):
    def changed(self, rows):
        return [*dict.fromkeys(rows)] if len(self.windows) > 1 else rows


class LanguageLost(_Rows):
    def changed(self, rows):
        return [tuple((name, re.sub(r"@[a-z]+$", "", text)) for name, text in row) for row in rows]


class AveragesRounded(_Rows):
    def changed(self, rows):
        return [tuple((name, re.sub(r'^"(\d+)\.\d+"', r'"\1"', text)) for name, text in row) for row in rows]


class DuplicatesLostAtTheEdge(WindowRun):
    def push(self, t, stream, triple):
        found = [*super().push(t, stream, triple)]
        steps = {window.step for window in self.windows if window.stream == stream}
        if any(t % step == 0 for step in steps) and any(
            one[1:] == (stream, triple) for one in self.elements[:-1]
        ):
            self.elements.pop()
        return found


class LastWindowTwice(WindowRun):
    def push(self, t, stream, triple):
        found = [*super().push(t, stream, triple)]
        return found + found[-1:]


class OfSeveralWindowsTheFirst(WindowRun):
    """Of the windows that one arrival closes only the first is reported."""

    def push(self, t, stream, triple):
        return [*super().push(t, stream, triple)][:1]


class DstreamForgetsOverEmptyWindows(WindowRun):
    def _answer(self, at):
        empties = self.windows[0]
        if self.operator == "DSTREAM" and not self._content(empties, at - empties.step):
            self.before = Counter()
        return super()._answer(at)


class IstreamOfSets(WindowRun):
    def _answer(self, at):
        before = set(self.before)
        found = super()._answer(at)
        return [row for row in found if row not in before] if self.operator == "ISTREAM" else found


class GapKeepsOldContent(WindowRun):
    """After a gap longer than the window what came before it is shown once more."""

    def _content(self, window, at):
        found = super()._content(window, at)
        own = [one for one in self.elements if one[1] == window.stream and one[0] <= at]
        if found and len(own) > len(found):
            last, first = own[-len(found) - 1], own[-len(found)]
            if first[0] - last[0] > 2 * window.width:
                return [*found, last[2]]
        return found


class SecondStreamsTies(WindowRun):
    """Of two streams' elements of one time the second's is lost."""

    def push(self, t, stream, triple):
        found = [*super().push(t, stream, triple)]
        if any(one[0] == t and one[1] != stream for one in self.elements[:-1]):
            self.elements.pop()
        return found


class WidthOfTheFirst(WindowRun):
    def change(self):
        self.windows = [one._replace(width=self.windows[0].width) for one in self.windows]


class StepOfTheFirst(WindowRun):
    def change(self):
        self.windows = [one._replace(step=self.windows[0].step) for one in self.windows]


class NumbersAsTexts(_Rows):
    """FILTER compares the written forms of numbers."""

    def change(self):
        self.query = re.sub(r"FILTER\((\?\w+) ([<>]) (\S+?)\)", r"FILTER(str(\1) \2 str(\3))", self.query)

    def changed(self, rows):
        return rows


class StaticForgottenInMinus(_Text):
    pattern, new = r"MINUS \{ \?s :kind :k \}", ""


class NotExistsOfTheWindowBefore(WindowRun):
    """NOT EXISTS looks at what the window showed one step before."""

    def _answer(self, at):
        if "NOT EXISTS" in self.query and len(self.windows) == 1:
            first = super()._answer(at)
            window = self.windows[0]
            return first if self._content(window, at - window.step) else []
        return super()._answer(at)


class JoinsWhatIsNew(WindowRun):
    """A join needs one of its triples to have come since the window before."""

    def _answer(self, at):
        found = super()._answer(at)
        window = self.windows[0]
        joined = ":q ?b" in self.query and len(self.windows) == 1 and "OPTIONAL" not in self.query
        new = [t for t, stream, _ in self.elements if stream == window.stream and at - window.step < t <= at]
        return found if new or not joined else []


class SilentAboveTwoRows(_Rows):
    """More than two rows of a join of windows are lost."""

    def changed(self, rows):
        return rows[:2] if len(self.windows) > 1 else rows


class TimeOneAsZero(WindowRun):
    """Elements of time 1 count as of time 0: a part of the suite has it as another t0, the whole has not."""

    def push(self, t, stream, triple):
        yield from super().push(t, stream, triple)
        if t == 1:
            self.elements[-1] = (0, stream, triple)


class LateReopens(WindowRun):
    """An element that is late is reported at once, with what its windows show."""

    def push(self, t, stream, triple):
        late = t < self.now
        found = [*super().push(max(t, self.now), stream, triple)]
        if late:
            self.elements[-1] = (t, stream, triple)
            close = self.start - (self.start - t) // self.windows[0].step * self.windows[0].step
            found += [{"t": close, "rows": [dict(row) for row in self._answer(close)]}]
        return found


class LastOfSeveralReportsLost(WindowRun):
    """Of the windows that one arrival closes the last is not reported."""

    def push(self, t, stream, triple):
        found = [*super().push(t, stream, triple)]
        return found[:-1] if len(found) > 1 else found


class TriplesCountTwice(WindowRun):
    """A window is a bag: where it has a triple twice, answers have their rows twice."""

    def _answer(self, at):
        found = super()._answer(at)
        shown = [one for window in self.windows for one in self._content(window, at)]
        twice = len(set(shown)) < len(shown) and len(self.windows) == 1 and self.operator == "RSTREAM"
        return [row for row in found for _ in (0, 1)] if twice else found


class StaticForgottenAfterTheFirstReport(WindowRun):
    def _answer(self, at):
        found = super()._answer(at)
        self.static = []
        return found


class LateAsOfNow(WindowRun):
    """What comes late is in windows as if it came in time."""

    def push(self, t, stream, triple):
        return super().push(max(t, self.now), stream, triple)


class IstreamOfAllEver(WindowRun):
    """IStream never says a row again that it has said."""

    def _answer(self, at):
        if self.operator != "ISTREAM":
            return super()._answer(at)
        known = Counter(self.before)
        found = super()._answer(at)
        self.before |= known
        return found


class OptionalKeepsOneMatch(_Rows):
    """Of several matches of an OPTIONAL one is kept."""

    def changed(self, rows):
        if "OPTIONAL" not in self.query or "(" in self.query.split("WHERE")[0]:
            return rows
        first = {tuple(pair for pair in row if pair[0] in ("s", "a")): row for row in rows[::-1]}
        return [row for row in rows if row in first.values()]


class FirstElementTwiceAsLong(WindowRun):
    """The first element of all stays in windows one time point longer."""

    def _content(self, window, at):
        found = super()._content(window, at)
        if not self.elements:
            return found
        t, stream, triple = self.elements[0]
        passed = max(0, -int((self.start + window.width - at) // window.step))
        edge = t == self.start + passed * window.step and t < at and stream == window.stream
        return [*found, triple] if edge and passed and not self.high_open else found


class Mute(WindowRun):
    def due(self, *_, **__):
        return ()


class Echo(WindowRun):
    """Each element is reported as it comes, whatever is asked."""

    def push(self, t, _, triple):
        yield {"t": t, "rows": [{"s": str(triple.subject), "a": str(triple.object)}]}


class Constant(_Rows):
    def changed(self, rows):
        return [(("s", "<http://e/s>"), ("a", '"1"'))] * bool(rows)


class OneRowShort(_Rows):
    def changed(self, rows):
        return rows[1:]


class BothEndsOpen(WindowRun):
    """A window has neither what came at its open nor what came at its close."""

    def _content(self, window, at):
        elements = self.elements
        self.elements = [one for one in elements if one[0] != at]
        found = super()._content(window, at)
        self.elements = elements
        return found


class AskAsOne(_Rows):
    def changed(self, rows):
        one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
        return [tuple((name, one if name == "Answer" else text) for name, text in row) for row in rows]


class SeveralFaults(
    LastOfSeveralReportsLost, IstreamOfAllEver, StaticForgottenAfterTheFirstReport, FirstElementTwiceAsLong
):
    """Faults together by which the parameters of another engine would explain more."""

    def change(self):
        self.query = re.sub("OPTIONAL", "", self.query) if "FILTER" not in self.query else self.query


MORE_WRONG = (
    Mute,
    Echo,
    Constant,
    OneRowShort,
    BothEndsOpen,
    AskAsOne,
    _text("OptionalAsJoin", "OPTIONAL", ""),
    SeveralFaults,
    LastOfSeveralReportsLost,
    _text("MinusOfAnyGraph", r"MINUS \{ GRAPH :w\d", "MINUS { GRAPH ?any"),
    TriplesCountTwice,
    StaticForgottenAfterTheFirstReport,
    LateAsOfNow,
    _text("SumsAsTexts", r"\?a \+ (\S+) AS", r"CONCAT(STR(?a), STR(\1)) AS"),
    _text("TiesOrderedBackwards", r"(DESC\(\?[ab]\)(?: \?a)?) \?s", r"\1 DESC(?s)"),
    IstreamOfAllEver,
    OptionalKeepsOneMatch,
    _text("GroupsOfOneLost", r"GROUP BY \?s\s*$", "GROUP BY ?s HAVING(COUNT(*) > 1)"),
    _text("PathsCountedByWay", r":p\+", ":p/:p*"),
    FirstElementTwiceAsLong,
)
"""Wrong ones of further kinds."""
WRONG = (
    *MORE_WRONG,
    LateReopens,
    DistinctAcrossWindows,
    _text("OptionalOfTheFirstWindow", r"OPTIONAL \{ GRAPH :w2", "OPTIONAL { GRAPH :w1"),
    _text("CountsTheUnbound", r"COUNT\(\?\w+\)", "COUNT(*)"),
    DuplicatesLostAtTheEdge,
    StaticForgottenInMinus,
    LanguageLost,
    LastWindowTwice,
    DstreamForgetsOverEmptyWindows,
    IstreamOfSets,
    AveragesRounded,
    OfSeveralWindowsTheFirst,
    GapKeepsOldContent,
    SecondStreamsTies,
    WidthOfTheFirst,
    StepOfTheFirst,
    NumbersAsTexts,
    NotExistsOfTheWindowBefore,
    JoinsWhatIsNew,
    SilentAboveTwoRows,
    _text("SampleInPlaceOfSum", r"SUM\((\?\w+)\)", r"SAMPLE(\1)"),
    _text("DistinctLostInSubqueries", r"SELECT DISTINCT \?s WHERE", "SELECT ?s WHERE"),
    _text("DescendingLost", r"DESC\((\?\w+)\)", r"\1"),
    _text("BoundIsTrue", r"!bound\(\?b\)", "false"),
    _text("CoalesceOfTheLast", r"COALESCE\(\?b, 0\)", "COALESCE(0, ?b)"),
    _text("UnionDistinct", r"SELECT (\?s \?a)(?=\s+FROM|\s*\n)(?=[\s\S]*UNION)", r"SELECT DISTINCT \1"),
    _text("GraphOfAny", r"GRAPH :g \{", "GRAPH ?any {"),
    _text("ReflexivePath", r":p\+", ":p*"),
    _text("NegatedPathForwards", r"!:p", "!(:p|:q)"),
    _text("ExistsAlways", r"FILTER EXISTS \{[^{}]*(\{[^{}]*\})?[^{}]*\}", ""),
)
