"""Compare two independent evaluations of one program on one input.

If the evaluations differ, the error contains a small case that shows the difference.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from time import monotonic
from typing import Final, TypeVar

from lars.dataclass import dataclass
from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.language.program import Program, Rule
from lars.language.terms import Signature
from solver.facts import Arguments, Fact, NearSituation, Row, Situation, Span, atom_of, atoms_of, unite
from solver.minimal import minimal

Item = TypeVar("Item")
_PATIENCE: Final = 20.0
"""The maximum number of seconds for making a case with a difference smaller."""
PROGRAM_FILE, INPUT_FILE = "difference.lars", "difference.atoms"


@dataclass(frozen=True, slots=True)
class PosedProgram:
    """A program with its input and its evaluation times, in ascending order."""

    program: Program
    situation: Situation
    times: Sequence[int]


Way = Callable[[PosedProgram], Iterable[tuple[Row, int, int]]]
"""A function that computes the answer rows of a program on an input.

Each row has the first and last index of an interval of evaluation times.
"""


def check_alike(case: PosedProgram, columns: Way, clingo: Way) -> None:
    """Raise DisputedAnswerError if the two evaluations of a case give different rows."""
    if (difference := _difference(case, columns, clingo)) is None:
        return
    small = _smallest(case, difference[0], lambda other: _difference(other, columns, clingo))
    # The time or the row of the difference can be another one in the smaller case.
    index, sentence = _difference(small, columns, clingo) or difference
    t = small.times[index]
    raise DisputedAnswerError(
        f"the relational evaluator and clingo differ at {t}: {sentence}",
        {PROGRAM_FILE: _program_text(small, sentence), INPUT_FILE: _input_text(small)},
        f"--from {small.times[0]} --to {small.times[-1]} --evaluator both",
    )


def _difference(case: PosedProgram, columns: Way, clingo: Way) -> tuple[int, str] | None:
    """Return the index of the first time at which the two evaluations differ, and a sentence about a row.

    The result is None if the two evaluations agree.

    Raises:
        LarsError: Only clingo rejects the input, because clingo has smaller integers.
    """
    one, other = _spans(case, columns), _spans(case, clingo)
    if isinstance(other, str) and not isinstance(one, str):
        raise LarsError(other)
    if isinstance(one, str) or isinstance(other, str):
        sentence = " · ".join(text for text in (one, other) if isinstance(text, str))
        return None if isinstance(one, str) and isinstance(other, str) else (len(case.times) - 1, sentence)
    differing = [row for row in {**one, **other} if one.get(row) != other.get(row)]
    if not differing:
        return None
    return min(_first(row, one.get(row, []), other.get(row, [])) for row in differing)


def _spans(case: PosedProgram, way: Way) -> Mapping[Row, list[Span]] | str:
    """Map each row to its longest intervals of times; return an error message if the evaluation fails."""
    spans: dict[Row, list[Span]] = {}
    try:
        for row, first, last in way(case):
            unite(spans.setdefault(row, []), (first, last))
    except FailedRunError:
        raise
    except LarsError as error:
        return str(error)
    return spans


def _first(row: Row, columns: Sequence[Span], clingo: Sequence[Span]) -> tuple[int, str]:
    indexes = [
        {index for first, last in spans for index in range(first, last + 1)} for spans in (columns, clingo)
    ]
    index = min(indexes[0] ^ indexes[1])
    alone = "columns" if index in indexes[0] else "clingo"
    return index, f"({', '.join(text or 'null' for text in row)}) is a row of {alone} alone"


def _smallest(case: PosedProgram, index: int, difference: Callable[[PosedProgram], object]) -> PosedProgram:
    """Return a smaller program and input that still show a difference, found greedily within a fixed time."""
    until = monotonic() + _PATIENCE

    def differs(other: PosedProgram) -> bool:
        try:
            return monotonic() < until and difference(other) is not None
        except FailedRunError:
            raise
        except LarsError:
            return False

    def fewest(items: tuple[Item, ...], case_of: Callable[[tuple[Item, ...]], PosedProgram]) -> PosedProgram:
        return case_of(tuple(minimal(items, lambda some: differs(case_of(tuple(some))))))

    t = case.times[index]
    program = replace(case, situation=NearSituation(case.program, case.situation).at(t), times=(t,))
    # An error in intervals may need several times, so one time is tried first, then fewer and fewer times.
    case = program if differs(program) else fewest(tuple(case.times), partial(_with_times, case))
    case = fewest(tuple(case.situation.facts), partial(_with_facts, case))
    pairs = tuple((name, row) for name, rows in case.situation.background.items() for row in rows)
    case = fewest(pairs, partial(_with_background, case))
    return fewest(case.program.rules, partial(_with_rules, case))


def _with_times(case: PosedProgram, times: Sequence[int]) -> PosedProgram:
    return replace(case, times=times)


def _with_facts(case: PosedProgram, facts: Sequence[Fact]) -> PosedProgram:
    return replace(case, situation=replace(case.situation, facts=facts))


def _with_background(case: PosedProgram, pairs: Sequence[tuple[Signature, Arguments]]) -> PosedProgram:
    rows = {name: [row for _, row in of_it] for name, of_it in groupby(pairs, lambda pair: pair[0])}
    return replace(case, situation=replace(case.situation, background=rows))


def _with_rules(case: PosedProgram, rules: tuple[Rule, ...]) -> PosedProgram:
    return replace(case, program=Program(rules))


def _program_text(case: PosedProgram, sentence: str) -> str:
    known = (Rule(atom) for atom in atoms_of(case.situation.background))
    program = Program((*case.program.rules, *known))
    said = "".join(f"% {line}\n" for line in sentence.split("\n"))
    return f"{said}{program}\n"


def _input_text(case: PosedProgram) -> str:
    ordered = sorted(case.situation.facts, key=lambda fact: fact.t)
    by_time = groupby(ordered, lambda fact: fact.t)
    return "".join(f"{t}: {' '.join(str(atom_of(fact)) for fact in facts)}\n" for t, facts in by_time)
