"""LARS programs in the language of Ticker's parser (Beck, Eiter, Folie: Ticker, TPLP 17, 2017).

`a [n sec]` is ⊞^n ◇ a, `a always [n sec]` is ⊞^n □ a, `a at T in [n sec]` is ⊞^n @_T a, and `[n #]` is a
tuple window. In Ticker, arguments are variables and numbers, so the writer represents each term by a number.

Ticker prints only changes, counts input at the time of reading, and evaluates time 0 only with input. The
writer therefore adds signs to a program: atoms for the current time and for the presence of input. The signs
make the answer change at each tick and with each line of input.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar, assert_never

from lars.analysis import InexpressibleError, LiteralForm
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language import formulas, terms
from lars.language.program import Program, Rule, head_atom
from lars.language.windows import TimeWindow, TupleWindow, Window
from lars.text import to_ascii
from lars.ticker import ticker_rules
from lars.ticker.ticker_guards import counting, guarded_rules, scoping_rules


def with_signs(
    program: Program, stream: ticker_rules.TickerInput, reasoner: ticker_rules.Reasoner
) -> tuple[Program, ticker_rules.TickerInput, terms.Atom]:
    """Return the program with rules for the current time as a number and for the presence of input.

    The second result is the input, with an atom at time 0. If the input has no atom at time 0, an extra atom
    is added. The extra atom is the oldest tuple, so it displaces no other tuple. The third result is an atom
    that holds if input is present.
    """
    taken = frozenset(name for name, _ in program.predicates | stream.signatures())
    start, present, pulse, arrival = (
        terms.Atom(ticker_rules.fresh_name(name, taken)) for name in ("start", "present", "pulse", "arrival")
    )
    fed = replace(stream, atoms={0: (start,)} | {t: atoms for t, atoms in stream.atoms.items() if atoms})
    time = terms.Variable("T")
    rules = (
        Rule(present, (formulas.Truth(),)),
        Rule(replace(pulse, arguments=(time,)), (formulas.In(TimeWindow(1), formulas.At(time, present)),)),
        *(Rule(arrival, (pattern,)) for pattern in _patterns(fed, reasoner)),
    )
    return Program((*program.rules, *rules)), fed, arrival


def _patterns(stream: ticker_rules.TickerInput, reasoner: ticker_rules.Reasoner) -> list[terms.Atom]:
    """Return patterns of atoms; each line of the input contains an instance of at least one pattern."""
    if reasoner == "clingo":
        kinds = sorted({(atoms[0].predicate, len(atoms[0].arguments)) for atoms in stream.atoms.values()})
        return [
            terms.Atom(name, tuple(terms.Variable(f"X{n}") for n in range(1, arity + 1)))
            for name, arity in kinds
        ]
    # Its reasoner incremental makes an instance for each combination of values: these have none.
    patterns: dict[terms.Atom, None] = {}
    for atoms in stream.atoms.values():
        if patterns.keys().isdisjoint(atoms):
            patterns[atoms[0]] = None
    return list(patterns)


_Key = TypeVar("_Key", bound=Hashable)
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
_WORDS: Final = frozenset(("always", "at", "false", "in", "not", "now", "over", "sec", "tick", "true")) | {
    # What Ticker computes with, and counts by.
    *("cnt", "divide", "eq", "geq", "gt", "incr", "leq", "leqleq", "leqlt", "lt", "ltleq", "ltlt", "minus"),
    *("modulo", "neq", "plus", "pow", "power", "product", "sum", "times"),
}
_PINS: Final = frozenset(("CC", "DD", "DD2", "NN", "TT"))
"""Names of the variables in the rules that Ticker itself adds."""
_SILENT: Final = "% Ticker prints nothing at time 0 unless input arrives then; `lars export` adds such input."
_MOST_TERMS: Final = 2**31 - ticker_rules.FIRST_TERM


def write_ticker(program: Program, clock: Duration, background: tuple[terms.Atom, ...] = ()) -> str:
    """Return the program for Ticker's reasoner clingo; `clock` is the duration of one time point.

    Raises ExportError for constructs that Ticker lacks, or that need known input.

    >>> from lars.durations import read_duration
    >>> from lars.text.notation import read
    >>> print(write_ticker(read("up(X) ← ⊞^3 □ high(X)."), read_duration("1s")).splitlines()[-1])
    up(X) :- high(X) always [3 sec].
    """
    first, rest = ticker_writer(program, clock, "clingo", background).text().split("\n", 1)
    return f"{first}\n{_SILENT}\n{rest}"


def ticker_writer(
    program: Program,
    clock: Duration,
    reasoner: ticker_rules.Reasoner,
    background: tuple[terms.Atom, ...] = (),
    stream: ticker_rules.TickerInput = ticker_rules.UNKNOWN,
) -> "TickerWriter":
    """Return the TickerWriter of a program and its input, if known; raise the errors of `write_ticker`."""
    rules = ticker_rules.plain_rules(program, background, reasoner, stream)
    hidden = ticker_rules.hidden_names(frozenset(atom.predicate for rule in rules for atom in _atoms(rule)))
    if stream.last is not None and reasoner == "incremental":
        rules = guarded_rules(rules, stream.atoms, stream.last, hidden)
    else:
        rules = (*rules, *scoping_rules(rules, next(hidden)))
    if not rules:
        # A program has a rule there.
        truth = terms.Atom(next(hidden))
        rules = (ticker_rules.PlainRule(Rule(truth), truth, role="auxiliary"),)
    return TickerWriter(rules, clock, stream.signatures())


class TickerWriter:
    """The writer of rules in Ticker's language.

    Names of predicates and variables consist of ASCII letters and digits, and are unique. Terms are numbered
    from FIRST_TERM, in the order in which the writer needs them.
    """

    def __init__(
        self, rules: tuple[ticker_rules.PlainRule, ...], clock: Duration, arriving: frozenset[terms.Signature]
    ) -> None:
        self.rules, self.clock = rules, clock
        own = {terms.signature(atom): None for rule in rules for atom in _atoms(rule)}
        seen = dict.fromkeys((*own, *sorted(arriving)))
        variables = [
            name for rule in rules for part in rule.body for name in sorted(ticker_rules.variables_of(part))
        ]
        self.predicates = _distinct({key: (key[0], _lower(key[0])) for key in seen}, _WORDS)
        self.variables = _distinct({name: (name.name, _upper(name.name)) for name in variables}, _PINS)
        self.terms: dict[terms.Constant, int] = {}
        self.counting = counting(rules)

    def heads(self, role: ticker_rules.Role) -> dict[str, terms.Signature]:
        """Map the names of the rule heads that have a role to the head predicates of the original rules."""
        return {
            self.predicates[terms.signature(rule.head)]: terms.signature(head_atom(rule.source) or rule.head)
            for rule in self.rules
            if rule.role == role
        }

    def text(self) -> str:
        """Return the text of the program in Ticker's language, preceded by the legend of its names."""
        lines = [line for rule in self.rules for line in self._rule(rule)]
        return "\n".join((*(f"% {line}" for line in self._legend()), *lines)) + "\n"

    def line(self, atoms: Iterable[terms.Atom]) -> str:
        """Return the line of the input at one time point; each atom occurs once."""
        try:
            return ";".join(map(self._atom, dict.fromkeys(atoms)))
        except InexpressibleError as refused:
            raise LarsError(f"Ticker cannot express {refused}\n  in the input") from None

    def _legend(self) -> Iterator[str]:
        yield f"A LARS program for Ticker; one time point is {self.clock}, one tick of Ticker's clock."
        yield f"Numbers below {ticker_rules.FIRST_TERM} are numbers of the program; the others are terms."
        yield "Results of arithmetic must also be below this limit; the program does not check the limit."
        for term, number in self.terms.items():
            yield f"term {number} = {to_ascii(str(term))}"
        free = ticker_rules.FIRST_TERM + len(self.terms)
        yield f"term {free} and above: the other terms of the stream, one number for each term"
        auxiliary, moments = self.heads("auxiliary"), self.heads("moments")
        for (name, arity), new in self.predicates.items():
            if new in auxiliary:
                yield f"auxiliary {new}"
            elif new in moments:
                own = to_ascii(terms.write_name(moments[new][0]))
                yield f"predicate {new}/{arity} = {own} at its last argument"
            elif new != name:
                yield f"predicate {new}/{arity} = {to_ascii(terms.write_name(name))}"
        for variable, new in self.variables.items():
            if new != variable.name and not variable.name.startswith("#"):
                yield f"variable {new} = {to_ascii(str(variable))}"
        for new in self.heads("violation"):
            yield f"constraint {new}: if {new} holds, no answer stream exists"
        yield "No rule may derive a predicate of the input. Each input atom occurs once at a time point."

    def _rule(self, rule: ticker_rules.PlainRule) -> Iterator[str]:
        """Yield the original rule as a comment, and the rule; an auxiliary fact has no comment."""
        if rule.role != "auxiliary" or rule.body:
            yield f"% {to_ascii(str(rule.source))}"
        with ticker_rules.exporting(rule.source):
            body = [self._part(part) for part in rule.body]
            head = self._atom(rule.head)
        if rule.time is not None:
            head = f"{head} at {self._term(rule.time)}"
        yield f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _part(self, part: ticker_rules.Part) -> str:
        match part:
            case formulas.Comparison(left, relation, right):
                return f"{self._side(left)} {relation} {self._side(right)}"
            case LiteralForm():
                return self._literal(part) if part.positive else f"not {self._literal(part)}"
            case _:
                assert_never(part)

    def _side(self, side: formulas.Arithmetic) -> str:
        if isinstance(side, formulas.Operation):
            return f"{self._side(side.left)} {side.operator} {self._side(side.right)}"
        return self._term(side)

    def _term(self, term: terms.Term) -> str:
        """Return the text of a term; raise InexpressibleError for a reserved or negative number."""
        match term:
            case terms.Variable():
                return self.variables[term]
            case terms.Number(value) if 0 <= value < ticker_rules.FIRST_TERM:
                return str(value)
            case terms.Number(value) if self.counting:
                raise InexpressibleError(
                    f"the number {value}, because Ticker's numbers are from 0 to "
                    f"{ticker_rules.FIRST_TERM - 1}"
                )
            case _:
                if len(self.terms) == _MOST_TERMS:
                    raise InexpressibleError(f"a program and input with more than {_MOST_TERMS} terms")
                return str(self.terms.setdefault(term, ticker_rules.FIRST_TERM + len(self.terms)))

    def _atom(self, atom: terms.Atom) -> str:
        name = self.predicates[terms.signature(atom)]
        arguments = ",".join(map(self._term, atom.arguments))
        return f"{name}({arguments})" if arguments else name

    def _literal(self, form: LiteralForm) -> str:
        assert isinstance(form.atom, terms.Atom)
        atom = self._atom(form.atom)
        if form.window is None:
            return atom
        window = self._window(form.window)
        match form.mode:
            case "□":
                return f"{atom} always {window}"
            case "@":
                assert form.time is not None
                return f"{atom} at {self._term(form.time)} in {window}"
            case _:
                return f"{atom} {window}"

    def _window(self, window: Window) -> str:
        if isinstance(window, TupleWindow):
            if window.size >= ticker_rules.FIRST_TERM:
                raise InexpressibleError(
                    f"the window {window}, because the sizes of Ticker's windows are below "
                    f"{ticker_rules.FIRST_TERM}"
                )
            return f"[{window.size} #]"
        assert isinstance(window, TimeWindow)
        if (window.past or 0) >= ticker_rules.FIRST_TERM:
            raise InexpressibleError(
                f"the window {window}, because the lengths of Ticker's windows are below "
                f"{ticker_rules.FIRST_TERM} time points"
            )
        length = (window.past or 0) * self.clock.nanoseconds
        if length % NANOSECONDS["ms"]:
            raise InexpressibleError(
                f"a window of {Duration(length)}, because the lengths of Ticker's windows are whole "
                "milliseconds"
            )
        if length % NANOSECONDS["s"]:
            return f"[{length // NANOSECONDS['ms']} msec]"
        return f"[{length // NANOSECONDS['s']} sec]"


def _atoms(rule: ticker_rules.PlainRule) -> Iterator[terms.Atom]:
    yield rule.head
    yield from (
        part.atom for part in rule.body if isinstance(part, LiteralForm) and isinstance(part.atom, terms.Atom)
    )


def _lower(name: str) -> str:
    plain = _OTHER.sub("", name.replace("'", "Prime"))
    return plain[0].lower() + plain[1:] if plain[:1].isalpha() else f"p{plain}"


def _upper(name: str) -> str:
    plain = _OTHER.sub("", name)
    return plain[0].upper() + plain[1:] if plain[:1].isalpha() else f"V{plain}"


def _distinct(names_wanted: Mapping[_Key, tuple[str, str]], words: frozenset[str]) -> dict[_Key, str]:
    names: dict[_Key, str] = {}
    taken = set(words)
    # Names that can stay as they are come first.
    for key, (_, name) in sorted(names_wanted.items(), key=lambda pair: pair[1][0] != pair[1][1]):
        number, new = 1, name
        while new in taken:
            number += 1
            new = f"{name}v{number}"
        taken.add(new)
        names[key] = new
    return {key: names[key] for key in names_wanted}
