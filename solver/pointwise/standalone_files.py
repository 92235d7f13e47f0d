"""Write a program with its input to one file for plain clingo.

`clingo file.lp -c t=18` then computes the answer at time 18. SPARQL conditions are decided in advance for all
terms that can occur in them at the requested times. Aggregates and orders are computed in advance at each of
the requested times.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise

import clingo

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import SetLiteral, Test
from lars.language.program import Program
from lars.language.terms import Constant, Signature
from solver.facts import Situation
from solver.pointwise.asp_terms import call, constant, text_of
from solver.pointwise.encoding import Encoding, HostedCondition, columns, condition_arguments
from solver.pointwise.point_evaluation import facts_at, ground_at

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|%[^\n]*')
_NAME = re.compile(r"[a-z_][\w']*")
_WRAPPED = re.compile(r"wrapped'\d+")
_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"| ')


@dataclass(frozen=True, slots=True)
class StandaloneProgram:
    """A program with its input as a file for the command clingo.

    - `clock` is the name of the constant for the reference time.
    - `names` maps the ASP name of each shown predicate to its name in LARS, and to a boolean that is true if
      the last argument is a time.
    - `overflows` are the atoms that clingo shows if the arithmetic of a rule exceeds 32 bits.
    """

    clock: str
    rules: tuple[str, ...]
    facts: tuple[str, ...]
    names: Mapping[str, tuple[Signature, bool]]
    overflows: frozenset[str]

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        yield from self.rules
        yield from self.facts


def standalone(
    program: Program, situation: Situation, times: Sequence[int], texts: Signature | None = None
) -> StandaloneProgram:
    """Return the program as a file for clingo; its default reference time is the last of the times.

    For this file, clingo prints the atoms of the predicate `texts`, or of all derived predicates if it is
    None. If rules read or derive atoms of a predicate at other times, the last argument of its printed atoms
    is their time.

    Raises:
        LarsError: An error of `solver.pointwise.point_evaluation` occurs.
    """
    encoding = Encoding(program, frozenset(situation.background))
    guards = tuple(_guards(encoding))
    rules = [*encoding.text().strip("\n").split("\n"), *guards]
    facts = (*_tables(encoding, situation, times), *_input(encoding, situation, times[-1]))
    t = _free_name((*rules, *facts))
    begin = (
        f"% At one reference time of {_span(times)}: clingo's option -c {t}=TIME chooses it.",
        *(f"#const {t}={times[-1]}.", f"now({t})."),
    )
    predicates = sorted(encoding.derived if texts is None else {texts})
    timed = [(predicate, predicate in encoding.timed) for predicate in predicates]
    names = {encoding.name(predicate, timed=late): (predicate, late) for predicate, late in timed}
    overflows = frozenset(_overflows(encoding))
    return StandaloneProgram(t, (*begin, *rules, *_shows(encoding, texts)), facts, names, overflows)


def decided_conditions(
    program: Program, situation: Situation, times: Iterable[int]
) -> dict[HostedCondition, frozenset[tuple[Constant, ...]]]:
    """Map each SPARQL condition to the arguments for which it holds; the value of := is the last one.

    Only arguments that can occur in the condition at the given times are listed.
    """
    encoding = Encoding(program, frozenset(situation.background))
    names = {name: part for name, part in encoding.answers.items() if not isinstance(part, SetLiteral)}
    terms: dict[HostedCondition, set[tuple[Constant, ...]]] = {one: set() for one in names.values()}
    for t in times if names else ():
        control = ground_at(encoding, situation, t)
        for name, condition in names.items():
            rows = control.symbolic_atoms.by_signature(*name)
            terms[condition].update(tuple(map(constant, row.symbol.arguments)) for row in rows)
    return {condition: frozenset(rows) for condition, rows in terms.items()}


def shown_atoms(line: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and argument texts of the atoms in an answer set that clingo printed.

    Raises:
        LarsError: The line is not an answer set.

    >>> list(shown_atoms('p q(3,"<x:a>")'))
    [('p', ()), ('q', ('3', '<x:a>'))]
    """
    try:
        names = _SPACE.sub(lambda part: "," if part[0] == " " else part[0], line.strip())
        symbols = clingo.parse_term(f"({names},)").arguments if names else ()
    except (RuntimeError, UnicodeDecodeError):  # clingo quotes what it did not expect byte by byte
        raise LarsError("no answer set of clingo") from None
    for atom in symbols:
        yield atom.name, tuple(map(text_of, atom.arguments))


def _span(times: Sequence[int]) -> str:
    steps = {later - sooner for sooner, later in pairwise(times)}
    return f"{times[0]}..{times[-1]}" if steps == {1} else ", ".join(map(str, times))


def _free_name(lines: Sequence[str]) -> str:
    used = {name for line in lines for name in _NAME.findall(_QUOTED.sub("", line))}
    return next(name for i in count() if (name := f"t{i or ''}") not in used)


def _guards(encoding: Encoding) -> Iterator[str]:
    if texts := _overflows(encoding):
        yield "% If wrapped'n is shown, the arithmetic of the n-th rule left 32 bit, and nothing counts."
        yield from encoding.guards().strip("\n").split("\n")
        yield from (f"#show {name}/0." for name in texts)


def _overflows(encoding: Encoding) -> list[str]:
    return sorted({part for part in encoding.guards().split() if _WRAPPED.fullmatch(part)})


def _input(encoding: Encoding, situation: Situation, t: int) -> Iterator[str]:
    yield "% The timeline, the input with its time as last argument, and the background."
    for (name, _), rows in facts_at(encoding, situation, t).items():
        if name != "now":
            yield from (f"{clingo.Function(name, row.arguments)}." for row in rows)


def _tables(encoding: Encoding, situation: Situation, times: Sequence[int]) -> Iterator[str]:
    rows: dict[Signature, dict[str, None]] = {name: {} for name in encoding.answers}
    for t in times if rows else ():
        control = ground_at(encoding, situation, t)
        for name, literal in encoding.answers.items():
            # The value of an aggregate depends on the time; the truth of a condition on its arguments only.
            when = f" :- now({t})" if isinstance(literal, SetLiteral) else ""
            symbols = control.symbolic_atoms.by_signature(*name)
            rows[name].update(dict.fromkeys(f"{atom.symbol}{when}." for atom in symbols))
    for name, literal in encoding.answers.items():
        if isinstance(literal, SetLiteral):
            yield f"% ({', '.join(map(str, columns(literal)))}) with {literal}:"
        else:
            says = "holds of" if isinstance(literal, Test) else "has the last argument as value for"
            yield f"% {literal} {says} ({', '.join(map(str, condition_arguments(literal)))}):"
        yield from rows[name]


def _shows(encoding: Encoding, texts: Signature | None) -> Iterator[str]:
    yield "#show."
    for predicate in sorted(encoding.derived if texts is None else {texts}):
        timed = predicate in encoding.timed
        name, arguments = encoding.name(predicate, timed=timed), [f"X{i}" for i in range(predicate[1])]
        if predicate in encoding.background_predicates:
            atom = call(name, [*arguments, "T"] if timed else arguments)
            yield f"#show {atom} : {atom}; not {call(encoding.always_name(predicate), arguments)}."
        else:
            yield f"#show {name}/{predicate[1] + timed}."
