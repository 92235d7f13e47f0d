"""Ticker's two reasoners, with their faults: its encoding of rules and windows as ASP, run by clingo.

After its sources (PlainLarsToAspMapper, LarsToAspMapper, ResultFilter) and what runs of it showed.
"""

import re

import clingo

from tests.lars.ticker.ticker_reader import Literal, Operation, Term, read_ticker

ATOM = re.compile(r"([a-z]\w*)(?:\(([^()]*)\))?$")


def text(name, arguments):
    return f"{name}({','.join(map(str, arguments))})" if arguments else name


def plain(atom):
    return text(atom.name, atom.arguments)


def at(atom, time):
    return text(f"{atom.name}_at", (*atom.arguments, time))


class Ticker:
    """A program that one of the reasoners has loaded; raises AssertionError for what it refuses."""

    def __init__(self, source, reasoner, clock=1000):
        self.incremental = reasoner == "incremental"
        self.rules = read_ticker(source, clock)
        self.facts = [rule for rule in self.rules if not rule.body]
        self.fact_names = {rule.head.name for rule in self.facts}
        self.proper = [rule for rule in self.rules if rule.body]
        if self.incremental:
            self.proper = [rule for rule in self.proper if self.is_grounded(rule)]
        self.encoding = "\n".join(self.encoded())
        self.tuples = any(part.tuples for rule in self.proper for part in rule.literals())

    def is_grounded(self, rule):
        """Whether the reasoner incremental makes instances of the rule, and takes them as they are."""
        if any(part == Literal(rule.head, positive=False) for part in rule.body):
            return False
        facts = [
            part
            for part in rule.literals()
            if part.positive and not part.kind and part.atom.name in self.fact_names
        ]
        guarded = {term for part in facts for term in part.atom.arguments}
        times = {part.time for part in rule.literals() if part.time}
        used = set(rule.head.arguments)
        for part in rule.body:
            used |= set(
                part.atom.arguments
                if isinstance(part, Literal)
                else (part.left, part.right, part.other or "")
            )
        alone = times - used
        wanted = used | alone if len(alone) > 1 else used
        # Its instances have a number there, and `p at 2` then goes on to say p after 2.
        assert rule.time not in wanted, "a head at a time with values is kept beyond it"
        return all(term in guarded for term in wanted if term[:1].isupper())

    def encoded(self):
        """Yield the ASP rules of the program."""
        scoped = {part.atom.name for rule in self.proper for part in rule.literals() if part.kind}
        scoped |= {rule.head.name for rule in self.proper if rule.time}
        heads = {rule.head.name for rule in self.rules}
        spelled = {part.atom for rule in self.proper for part in rule.literals()} | {
            rule.head for rule in self.proper
        }
        windowed = {part.atom for rule in self.proper for part in rule.literals() if part.kind}
        for fact in self.facts:
            yield f"{plain(fact.head)}."
        for atom in sorted(spelled, key=plain):
            if atom.name in scoped - self.fact_names:
                if self.incremental and atom.name not in heads:
                    assert atom in windowed, f"no guard found for atom {plain(atom)}"
                yield f"{plain(atom)} :- now(NN), {at(atom, 'NN')}."
                yield f"{at(atom, 'NN')} :- now(NN), {plain(atom)}."
        if self.incremental:
            derived = {rule.head.name for rule in self.proper}
            assert not derived & self.fact_names, "values of facts alone are taken"
        for rule in self.proper:
            head = plain(rule.head) if rule.time is None else at(rule.head, rule.time)
            yield f"{head} :- {', '.join(map(self.body, rule.body))}."
            for part in rule.literals():
                yield from self.window(part)

    def body(self, part):
        if isinstance(part, Operation):
            if part.operator is None:
                return f"{part.left} {part.relation} {part.right}"
            return f"{part.right} {part.operator} {part.other} = {part.left}"
        inner = part.atom if not part.kind else self.encoded_window(part)
        return ("" if part.positive else "not ") + plain(inner)

    def encoded_window(self, part):
        kind = f"at_{part.time}" if part.time else part.kind
        name = f"w_{'tu' if part.tuples else 'te'}_{part.size}_{kind}_{part.atom.name}"
        return Term(
            f"{name}_at" if part.time else name, (*part.atom.arguments, *((part.time,) if part.time else ()))
        )

    def window(self, part):
        if not part.kind:
            return
        head = self.encoded_window(part)
        if part.tuples:
            # One tuple more than the size, unless the reasoner counts right.
            for i in range(part.size + (not self.incremental)):
                counted = text(
                    f"{part.atom.name}_at_cnt", (*part.atom.arguments, part.time or "TT", f"CC-{i}")
                )
                yield f"{plain(head)} :- cnt(CC), {counted}."
        elif part.kind == "b":
            spoiler = text(f"spoil_te_{part.size}_{part.atom.name}", part.atom.arguments)
            yield f"{plain(head)} :- {plain(part.atom)}, not {spoiler}."
            for i in range(1, part.size + 1):
                missing = at(part.atom, f"NN-{i}")
                yield f"{spoiler} :- {plain(part.atom)}, now(NN), NN-{i} >= 0, not {missing}."
        else:
            for i in range(part.size + 1):
                pinned = at(part.atom, f"NN-{i}")
                shown = text(head.name, (*part.atom.arguments, f"NN-{i}")) if part.time else plain(head)
                yield f"{shown} :- now(NN), {pinned}."

    def signals(self, lines, t):
        """Yield the facts of the input up to a time; `lines` are those of the stream's file."""
        count = 0
        for time, line in enumerate(lines[: t + 1]):
            for signal in line.split(";") if line else ():
                name, arguments = ATOM.match(signal).groups()
                atom = Term(name, tuple(arguments.split(",")) if arguments else ())
                count += 1
                yield f"{at(atom, time)}."
                yield f"{text(f'{name}_at_cnt', (*atom.arguments, time, count))}."
                if self.incremental and time == t:
                    yield f"{plain(atom)}."
        yield f"now({t}). cnt({count})."

    def model(self, lines, t):
        """Return what the answer set at t shows, as texts; the empty set where there is none."""
        control = clingo.Control(["0"], logger=lambda *_: None)
        control.add("base", [], self.encoding + "\n" + "\n".join(self.signals(lines, t)))
        control.ground([("base", [])])
        with control.solve(yield_=True) as models:
            found = [
                [atom for atom in model.symbols(atoms=True) if atom.name not in {"now", "cnt"}]
                for model in models
            ]
        assert len(found) < 2, "one of several answer sets is shown"
        # Its filter knows what rules derive and what windows show: no facts, and of p_at(3) nothing at all.
        known = {rule.head.name for rule in self.proper}
        known |= {part.atom.name for rule in self.proper for part in rule.literals() if part.kind}
        return frozenset(str(atom) for atom in (found[0] if found else ()) if atom.name in known)

    def output(self, lines):
        """Yield what is printed for a stream when the model is written as it changes."""
        last = None
        for t in range(len(lines)):
            before = [*lines[:t], ""]
            # At 0 its clock has not ticked yet.
            for seen in (*([before] if t else ()), *([lines] if lines[t] else ())):
                if (now := self.model(seen, t)) != last:
                    yield f"{t}s (t={t}): Set({', '.join(sorted(now))})"
                    last = now
