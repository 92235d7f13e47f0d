"""The causes of README.md by their words: evaluate, change what the words speak of, evaluate again.

It shares no code with the program: windows are those of `reference`, rows those of the evaluation of
SPARQL 1.1 in `tests.sparql.reference`, each at one time from the triples that windows show.
"""

from dataclasses import replace
from functools import cached_property, lru_cache

from tests.agreement.cause_cases import LAST, blocks, groups_tree, term, tree
from tests.sparql.reference import answer
from tests.sparql.syntax import Dataset, Iri
from tests.sparql.values import order_key


class Side:
    """One query, of a pattern over a set of windows."""

    def __init__(self, case, query, *, merged, empty_group, alone=(0, 1)):
        """Of static data that one side alone has it meets those of the sides in `alone`."""
        (pattern, windows), self.case, self.merged = query, case, merged
        self.windows = windows
        self.static = case.static.union(*(case.alone[side] for side in alone))
        # C-SPARQL reads each triple pattern from all windows, also where CQELS has it of static data.
        self.read = [
            (source, triple)
            for _, source, triples, _ in blocks(pattern)
            for triple in triples
            if merged or source is not None
        ]
        self.query = tree(case, pattern, merged=merged, empty_group=empty_group)
        self.groups_query, self.empty_group = groups_tree(case, pattern, merged=merged), empty_group
        self.whole = lru_cache(None)(self._whole)

    def rows(self, at, **otherwise):
        """Return the rows at a time, of those that the query has without LIMIT the first."""
        found, shape = self.whole(at, **otherwise), self.case.select
        return found if shape.limit is None else set(first_ones(found, shape))

    def _whole(self, at, *, newest=LAST, unhidden=False, moved=False, empty=False):
        """Return the rows at a time; `unhidden`: windows show what is newer than they reach, too.

        `moved`: windows end at the time, and are as long as they are.
        """
        data = self.data(at, newest, unhidden=unhidden, moved=moved, empty=empty)
        names = self.case.select.names
        return {tuple(row.get(name) for name in names) for row in answer(self.query, data).rows}

    def has_group(self, row, at, *, newest=LAST, unhidden=False):
        """Whether there is a group of the row's keys, whatever its aggregates are."""
        shape = self.case.select
        if shape.keys is None and self.empty_group:
            return True
        values = dict(zip(shape.names, row, strict=True))
        found = answer(self.groups_query, self.data(at, newest, unhidden=unhidden, empty=False)).rows
        return any(all(one.get(name) == values[name] for name in shape.shown) for one in found)

    def data(self, at, newest, *, unhidden, empty, moved=False):
        shown = [
            set() if empty else self.shown(window, at, newest, unhidden=unhidden, moved=moved)
            for window in self.windows
        ]
        static = {triple_of(one) for one in self.static}
        data = Dataset(frozenset(static.union(*shown)) if self.merged else frozenset(static))
        if not self.merged:
            data = Dataset(
                data.default, {Iri(str(number)): frozenset(one) for number, one in enumerate(shown)}
            )
        return data

    def shown(self, window, at, newest, *, unhidden, moved=False):
        return {triple_of(one[2:]) for one in self.kept(window, at, newest, unhidden=unhidden, moved=moved)}

    def kept(self, window, at, newest, *, unhidden, moved=False):
        """Return the arrivals that a window shows, or that any of several windows shows."""
        if isinstance(window, tuple):
            every = (self.kept(one, at, newest, unhidden=unhidden, moved=moved) for one in window)
            return list(dict.fromkeys(one for found in every for one in found))
        own = [one for one in dict.fromkeys(self.case.arrivals) if one.stream == window.stream]
        if window.rows is not None:
            kept = [one for one in own if one.t <= at][-window.rows :]
        else:
            pivot = at - at % window.step
            until = at + window.ahead
            late = window.bounds in ("high-open", "open") and window.past != 0
            if moved and (late or window.step > 1):
                window = replace(window, step=1)
                kept = [one for one in own if window.shows(one.t - late, at)]
            else:
                kept = [
                    one for one in own if window.shows(one.t, at) or (unhidden and pivot <= one.t <= until)
                ]
        return [one for one in kept if one.t <= newest + window.ahead]

    def hides(self, row, at):
        """Whether the row is there, or not, only since windows do not show the newest input."""
        ways = [{"unhidden": True}]
        if self.case.select.aggregates and self.unseen(at):
            # An aggregate of more than a window shows is another one.
            ways.append({"moved": True})
        there = row in self.rows(at)
        return any(there != (row in self.rows(at, newest=at, **how)) for how in ways)

    def hides_group(self, row, times):
        """Whether the row's group is in no answer at some times, though windows that hide nothing show it."""
        if not self.case.select.aggregates or any(self.has_group(row, t) for t in times):
            return False
        return any(self.has_group(row, t, newest=t, unhidden=True) for t in times)

    def unseen(self, at):
        """Whether there is input that a window ends before, and that a pattern of the query reads there.

        Each of several windows is asked: what one of them ends before may be in another.
        """
        return any(
            fits(pattern, one)
            for number, read in enumerate(self.windows)
            for window in (read if isinstance(read, tuple) else (read,))
            for one in {*self.kept(window, at, at, unhidden=True)}
            - {*self.kept(window, at, at, unhidden=False)}
            for source, pattern in self.read
            if self.merged or source == number
        )


def through(windows, own, others):
    """Return windows; where the other side reads a stream through others, all those of that side."""

    def of(stream, every):
        return tuple(dict.fromkeys(one for one in every if one.stream == stream))

    def changed(window):
        mine, theirs = of(window.stream, own), of(window.stream, others)
        return theirs if theirs and {*mine} != {*theirs} else window

    return [changed(window) for window in windows]


def fits(pattern, arrival):
    """Whether a triple pattern matches what arrived: a variable that it has twice stands for one term."""
    pairs = [*zip(pattern, arrival[2:], strict=True)]
    named = dict(pairs)
    return all(named[name] == node if name.startswith("?") else name == node for name, node in pairs)


def triple_of(nodes):
    return tuple(
        term(name) if place != 1 else Iri(term("a").value[:-1] + name) for place, name in enumerate(nodes)
    )


def first_ones(rows, shape):
    """Return the first of the rows as ORDER BY says; a tie goes by their terms' texts, unbound first."""
    found = sorted(rows, key=lambda row: [(node is not None, node and text_of(node)) for node in row])
    if shape.order:
        name, descends = shape.order
        place = shape.names.index(name)
        found.sort(key=lambda row: rank(order_key(row[place])), reverse=descends)
    return found[: shape.limit]


def rank(key):
    return key[0], key[2]


def text_of(node):
    return f"<{node.value}>" if isinstance(node, Iri) else f'"{node.lexical}"^^<{node.datatype}>'


def operators(pattern):
    """Return the operators of a pattern."""
    operator, *parts = pattern
    return [] if operator == "block" else [operator, *(one for part in parts for one in operators(part))]


class Definitions:
    """The differences of a comparison, each with its cause and push's last report."""

    def __init__(self, case):
        self.case = case
        pushed, pulled = case.patterns
        read = {source for _, source, _, _ in blocks(pushed)}
        of_push = [window for n, window in enumerate(case.push) if n in read]
        # What only C-SPARQL's FROM STREAM names has the windows of pull.
        theirs = through(case.pull, case.pull, of_push)
        ours = through(case.push, of_push, case.pull)
        self.apart = [*theirs] != [*case.pull]
        apart, merged = {"merged": False, "empty_group": False}, {"merged": True, "empty_group": True}
        self.push = Side(case, (pushed, case.push), **apart, alone=(0,))
        self.pull = Side(case, (pulled, case.pull), **merged, alone=(1,))
        self.no_empty_group = Side(case, (pulled, case.pull), merged=True, empty_group=False, alone=(1,))
        # Both with the static data of both.
        self.push_on_both = Side(case, (pushed, case.push), **apart)
        self.pull_on_both = Side(case, (pulled, case.pull), **merged)
        # With other windows on each side: the one's sources through the other's windows.
        self.push_through_pull = Side(case, (pushed, ours), **apart)
        self.pull_through_push = Side(case, (pulled, theirs), **merged)
        # Push's query as C-SPARQL would read it, through the windows of push and of pull.
        self.merged_push = Side(case, (pushed, theirs), **merged)
        self.merged_push_through_pull = Side(case, (pushed, case.pull), **merged)

    @cached_property
    def evaluated(self):
        """The times at which push evaluates."""
        listed = blocks(self.case.patterns[0])
        read = {
            (self.case.push[source].stream, p)
            for _, source, ts, _ in listed
            if source is not None
            for _, p, _ in ts
        }
        streams = {stream for stream, _ in read}
        match self.case.trigger:
            case "any":
                found = self.case.arrivals
            case "query-streams":
                found = [one for one in self.case.arrivals if one.stream in streams]
            case "matching":
                found = [one for one in self.case.arrivals if (one.stream, one.p) in read]
        return sorted({one.t for one in found})

    def differences(self):
        """Return (end, side, row, cause, last report) of each difference."""
        found = []
        for end in range(self.case.period, LAST + 1, self.case.period):
            times = [t for t in self.evaluated if end - self.case.period < t <= end]
            pushed, pulled = set().union(*map(self.push.rows, times)), self.pull.rows(end)
            for side, rows in (("push", pushed - pulled), ("pull", pulled - pushed)):
                for row in rows:
                    told = self.cause_in_push if side == "push" else self.cause_in_pull
                    found.append((end, side, row, told(row, times, end), self.last(row, end)))
        return found

    def last(self, row, end):
        return max((t for t in self.evaluated if t <= end and row in self.push.rows(t)), default=None)

    def cause_in_push(self, row, _, end):
        t, push, pull = self.last(row, end), self.push_on_both, self.pull_on_both
        merged = self.pull_through_push
        if row in self.no_empty_group.rows(end):
            return "aggregate of nothing"
        if row in pull.rows(end) or row not in push.rows(t):
            return "different static data"
        if row in push.rows(0, empty=True) and row not in pull.rows(0, empty=True):
            return "static only"
        if row not in merged.rows(t):
            return "different queries" if row in self.merged_push.rows(t) else "merged sources"
        if any(one.hides(row, at) for one, at in ((pull, end), (merged, end), (push, t), (merged, t))):
            return "hidden by the pivot"
        if merged.hides_group(row, [end]):
            return "hidden by the pivot"
        if self.apart and row in merged.rows(end):
            return "different windows"
        if row not in merged.rows(end, newest=t):
            return "expired before the pull"
        return "aggregate of other input" if self.aggregates(merged, row, [end]) else "blocked later"

    def cause_in_pull(self, row, times, end):
        push, pull, apart = self.push_on_both, self.pull_on_both, self.push_through_pull
        if row not in self.no_empty_group.rows(end):
            return "aggregate of nothing"
        if row not in pull.rows(end) or any(row in push.rows(t) for t in times):
            return "different static data"
        if row in pull.rows(0, empty=True) and not (times and row in push.rows(0, empty=True)):
            return "static only"
        if row not in apart.rows(end):
            return "merged sources" if row in self.merged_push_through_pull.rows(end) else "different queries"
        asked = ((pull, end), (apart, end), *((one, t) for t in times for one in (push, apart)))
        if any(one.hides(row, at) for one, at in asked):
            return "hidden by the pivot"
        if apart.hides_group(row, times):
            return "hidden by the pivot"
        if self.apart and any(row in apart.rows(t) for t in times):
            return "different windows"
        if not times or row not in pull.rows(end, newest=times[-1]):
            return "silent period"
        return "aggregate of other input" if self.aggregates(apart, row, times) else "blocker expired"

    def aggregates(self, side, row, times):
        """Whether a side has the row's group at one of the times, and not its aggregates at any."""
        if not self.case.select.aggregates or any(row in side.whole(t) for t in times):
            return False
        return any(side.has_group(row, t) for t in times)

    @property
    def blocks(self):
        """Whether more input can take a row away, other than by another value of an aggregate."""
        case = self.case
        inner = [part for pattern in case.patterns for part in operators(pattern)]
        return case.select.limit is not None or bool({"minus", "optional", "exists"} & {*inner})

    def refuted(self, end, side, cause, last):
        """Whether the words of a cause are plainly false: what they say came, left or is unseen did not."""
        times = [last] if side == "push" else [t for t in self.evaluated if end - self.case.period < t <= end]
        before = [(t, one) for t in times for one in (self.push, self.pull_through_push)]
        after = [(end, one) for one in (self.pull, self.push_through_pull)]
        match cause:
            case "different queries":
                return self.case.pushed in (None, self.case.pattern)
            case "blocked later" if not self.blocks:
                return True
            case "blocker expired" if not self.blocks:
                return True
            case "blocked later":
                return not any(last < one.t <= end for one in self.case.arrivals)
            case "expired before the pull" | "blocker expired":
                return not any(self.gone(one, t, end) for t in times for _, one in (*before, *after))
            case "hidden by the pivot":
                # Each side is asked through the other's windows too, when push evaluated and at the end.
                every = (self.push, self.pull, self.push_through_pull, self.pull_through_push)
                return not any(one.unseen(t) for t in (*times, end) for one in every)
            case "silent period":
                return bool(times) and not any(window.ahead for window in self.case.pull)
            case _:
                return False

    def gone(self, side, t, end):
        """Whether a window shows at t what it does not show at the end, its upper end aside."""
        return any(
            side.shown(window, t, t, unhidden=True) - side.shown(window, end, t, unhidden=True)
            for window in side.windows
        )
