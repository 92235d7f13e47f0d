"""A program with its input as one file for plain clingo: `clingo file.lp -c t=18` is what we answer at 18.

Conditions in SPARQL are decided beforehand, for every term that can meet them at the times asked for,
and so is what a literal over all instances of an atom is at each of these times.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count, pairwise

from lars.formulas import Test
from lars.program import Program
from lars.terms import Signature
from solver.facts import Situation
from solver.pointwise.callbacks import call, columns, condition_arguments, gathered_signature, table_signature
from solver.pointwise.encoding import Encoding
from solver.pointwise.point_evaluation import given, grounded

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|%[^\n]*')
_NAME = re.compile(r"[a-z_][\w']*")


def standalone(
    program: Program, situation: Situation, times: Sequence[int], shown: Signature | None = None
) -> Iterator[str]:
    """Yield the lines of the file; it is about the last of the times unless clingo is told another.

    It shows the atoms of one predicate, else all derived ones, with their time as last argument where
    some rule looks at another time. Raises LarsError where `solver.pointwise.point_evaluation` does.
    """
    encoding = Encoding(program, frozenset(situation.background))
    rules = [*encoding.text().strip("\n").split("\n"), *_guards(encoding)]
    facts = [*_tables(encoding, situation, times), *_input(encoding, situation, times[-1])]
    t = _free_name((*rules, *facts))
    yield f"% At one reference time of {_span(times)}: clingo's option -c {t}=TIME chooses it."
    yield f"#const {t}={times[-1]}."
    yield f"now({t})."
    yield from rules
    yield from facts
    yield from _shows(encoding, shown)


def _span(times: Sequence[int]) -> str:
    steps = {later - sooner for sooner, later in pairwise(times)}
    return f"{times[0]}..{times[-1]}" if steps == {1} else ", ".join(map(str, times))


def _free_name(lines: Sequence[str]) -> str:
    used = {name for line in lines for name in _NAME.findall(_QUOTED.sub("", line))}
    return next(name for i in count() if (name := f"t{i or ''}") not in used)


def _guards(encoding: Encoding) -> Iterator[str]:
    found = encoding.guards().split()
    if found:
        yield "% If wrapped'n is shown, the arithmetic of the n-th rule left 32 bit, and nothing counts."
        yield from encoding.guards().strip("\n").split("\n")
        yield from (f"#show {name}/0." for name in sorted({part for part in found if part[:8] == "wrapped'"}))


def _input(encoding: Encoding, situation: Situation, t: int) -> Iterator[str]:
    yield "% The timeline, the input with its time as last argument, and the background."
    yield from (f"{fact}." for fact in given(encoding, situation, t) if fact.name != "now")


def _tables(encoding: Encoding, situation: Situation, times: Sequence[int]) -> Iterator[str]:
    names = {table_signature(condition, number): condition for number, condition in encoding.hosted.items()}
    gathered = {gathered_signature(literal, number): literal for literal, number in encoding.gathered.items()}
    rows: dict[Signature, dict[str, None]] = {name: {} for name in (*names, *gathered)}
    for t in times if rows else ():
        control = grounded(encoding, situation, t)
        for name, found in rows.items():
            when = f" :- now({t})" if name in gathered else ""
            symbols = control.symbolic_atoms.by_signature(*name)
            found.update(dict.fromkeys(f"{atom.symbol}{when}." for atom in symbols))
    for name, condition in names.items():
        arguments = ", ".join(map(str, condition_arguments(condition)))
        says = "holds of" if isinstance(condition, Test) else "has the last argument as value for"
        yield f"% {condition} {says} ({arguments}):"
        yield from rows[name]
    for name, literal in gathered.items():
        yield f"% ({', '.join(map(str, columns(literal)))}) with {literal}:"
        yield from rows[name]


def _shows(encoding: Encoding, shown: Signature | None) -> Iterator[str]:
    yield "#show."
    for predicate in sorted(encoding.derived if shown is None else {shown}):
        timed = predicate in encoding.timed
        name, arguments = encoding.name(predicate, timed=timed), [f"X{i}" for i in range(predicate[1])]
        if predicate in encoding.always:
            atom = call(name, [*arguments, "T"] if timed else arguments)
            yield f"#show {atom} : {atom}; not {call(encoding.always_name(predicate), arguments)}."
        else:
            yield f"#show {name}/{predicate[1] + timed}."
