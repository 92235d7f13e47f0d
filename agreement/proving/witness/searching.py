"""Search the smallest stream on which two sides differ, with a proof if no such stream exists.

The evaluation of `lars agree` confirms each stream that the search finds. A search without a result is a
proof for two reasons: theorem A7 limits the number of triples, and the chosen triples represent all streams.

A7. Assume that both sides are monotone: no `not`, no aggregates, only time windows. Take a row that only one
side reports, and one derivation of the row at one evaluation. The derivation uses at most n triples of
streams, where n is the maximum number of stream patterns in a derivation. Under push, one more triple makes
the side evaluate. Without all other triples, the side still reports the row. The other side has less content
and no more evaluations, so it reports no more rows. So for windows of any bounds and slides, n triples are
enough, or n + 1 triples under push.

A report of ISTREAM or DSTREAM depends on two evaluations. Two operators on the answers of one query differ
in a row that is an answer at one of these evaluations, or at both. Take the triples above for each of the two
evaluations. Without all other triples, one evaluation still follows the other, and no evaluation has more
answers. So twice as many triples and values are enough.

The cause of a difference can need more triples. If both queries have the same windows, and no window slides,
a cause of a monotone query depends on one derivation, so the number above is enough. Otherwise, a cause such
as *hidden by the pivot* can depend on a second derivation: push reports a row by one derivation, and pull
would have the row by another one if its window did not slide. So a search for such a cause without a result
is no proof.

Values. Give each variable of the derivation its own value that no condition distinguishes from the original
value: a new IRI, or a term of the same region outside queries and static triples. A constant that a query
names is unchanged. If a rule hides a variable (in a sub-SELECT or EXISTS), the variable counts once for each
use of the rule. The derivations of the other side existed before: the new values map onto the old values,
constants map onto themselves, and conditions keep their truth. The search therefore needs as many terms of
each region of values as a derivation has variables, if each comparison is between a variable and a constant
(see the module `values`). The triple that triggers push matches no pattern, or a pattern that matches
everything. In the second case, the terms of this triple are also in their regions. If a pattern matches
everything, and triples of other streams also trigger push, such a triple is one of the tried triples.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

from agreement.comparing.agree import Pair
from agreement.documents.outputs import quantity
from agreement.proving.decisions import Decision, EveryStream, Witness, reported, trace_on
from agreement.proving.disjuncts import shares_blank
from agreement.proving.values import COMPARED, CONNECTIVES, fresh, is_covered
from agreement.proving.witness.candidate_atoms import (
    TRIPLE,
    candidate_atoms,
    named_constants,
    patterns,
    stream_variables,
    triple_of,
    value_copies,
    with_others,
)
from lars.analysis import intensional, positive_loops, windows
from lars.dataclass import dataclass
from lars.errors import FailedRunError, TimeLimitError
from lars.language import formulas, terms
from lars.language.program import Program, Rule, atoms, head_atom, nested, variables
from lars.language.windows import IntervalWindow, TupleWindow
from solver.deadlines import NEVER, Deadline, until
from solver.facts import STREAM_PREDICATE, Arrivals, Background, Multiples, constant_of
from solver.job import Question, ask
from solver.search import (
    TIME_IS_UP,
    TOO_LARGE,
    Candidates,
    ChosenStream,
    Contest,
    StoppedSearchError,
    UncoveredError,
    chosen_streams,
    tried_streams,
    with_atoms,
)
from solver.settings import Progress, no_progress
from translate.model.query import EngineQuery, Setting
from translate.tau import NAMED, lars_program, output_of, push


def most_arrivals(question: Question) -> int | None:
    """Return a number of triples that is enough for any row of a query; None if theorem A7 does not apply.

    Theorem A7 applies to monotone queries that have only time windows.
    """
    program = question.program
    negative = any(
        not positive for rule in program.rules for part in rule.body for _, positive, _ in atoms(part)
    )
    gathered = any(isinstance(part, formulas.SetLiteral) for rule in program.rules for part in rule.body)
    timed = all(isinstance(window, IntervalWindow) for window in windows(program))
    if negative or gathered or not timed or positive_loops(program) or question.predicate is None:
        return None
    # Push may need one more triple, which matches nothing and only makes it evaluate.
    return _patterns(program, question.predicate) + isinstance(question.gate, Arrivals)


@lru_cache(maxsize=256)
def _patterns(program: Program, predicate: terms.Signature) -> int:
    """Return the maximum number of stream patterns that one derivation of a predicate's atom uses."""
    if predicate == (TRIPLE, 4):
        return 1
    derived = intensional(program)
    most = 0
    for rule in program.rules:
        head = head_atom(rule)
        if head is not None and terms.signature(head) == predicate:
            held = [atom for part in rule.body for atom, _, _ in atoms(part)]
            streamed = sum(atom.predicate == STREAM_PREDICATE for atom in held)
            below = (terms.signature(atom) for atom in held if terms.signature(atom) in derived)
            most = max(most, streamed + sum(_patterns(program, one) for one in below))
    return most


def fewest_arrivals(question: Question, candidates: Candidates) -> int:
    """Return the number of stream triples that each row of a query certainly needs.

    Triples with different predicates are distinct. The number is the number of predicates that each
    derivation needs and that no static triple can have. The search begins with streams of this many triples,
    because smaller streams give no row.
    """
    program = question.program
    stored = {atom.arguments[1] for atom in candidates.static}
    stored |= {constant_of(row[1]) for row in candidates.background.get((TRIPLE, 4), ())}
    if positive_loops(program) or question.predicate is None:
        return 0
    derived = intensional(program) - {(TRIPLE, 4)}

    @cache
    def met(predicate: terms.Signature) -> tuple[frozenset[terms.Term], ...]:
        """Return, for each rule that derives a predicate, the predicates of triples that the rule needs."""
        found = []
        for rule in program.rules:
            head = head_atom(rule)
            if head is not None and terms.signature(head) == predicate:
                own, below = _needed(rule)
                sides = (met(one) for one in below if one in derived)
                found.append(own.union(*(frozenset.intersection(*each) for each in sides if each)))
        return tuple(found)

    return min((len(each - stored) for each in met(question.predicate)), default=0)


def _needed(rule: Rule) -> tuple[frozenset[terms.Term], list[terms.Signature]]:
    """Return the predicates of the triples that a LARS rule needs, and the signatures of all needed atoms."""
    needed = [
        atom
        for part in rule.body
        # □ holds in an empty window, and an aggregate has a value without solutions: neither needs a triple.
        if not any(isinstance(each, formulas.SetLiteral | formulas.Box) for each in nested(part))
        for atom, positive, _ in atoms(part)
        if positive
    ]
    triples = (atom.arguments[1] for atom in needed if atom.predicate in (TRIPLE, STREAM_PREDICATE))
    named = frozenset(term for term in triples if not isinstance(term, terms.Variable))
    return named, [terms.signature(atom) for atom in needed]


def why_incomplete(question: Question) -> str | None:
    """Return the construct because of which the tried triples do not represent all streams, or None."""
    for rule in question.program.rules:
        for literal in rule.body:
            if (text := _untold(literal)) is not None:
                return text
            for atom, _, _ in atoms(literal):
                if atom.predicate == TRIPLE and atom.arguments[-1] != terms.DEFAULT:
                    return f"static data in a named graph: {literal}"
    fired = question.gate.patterns if isinstance(question.gate, Arrivals) else ()
    if any(not isinstance(term, terms.Variable) for pattern in fired for term in pattern.arguments[:3]):
        return "a trigger that only matching triples fire"
    return None


def _untold(literal: formulas.BodyLiteral) -> str | None:
    match literal:
        case formulas.Test(expression):
            return None if _is_simple(expression) else f"the condition {literal}"
        case formulas.Assign():
            return f"the value {literal}"
        case formulas.Comparison(terms.Variable(), relation, terms.Variable()) if relation != "=":
            return f"the condition {literal}"
        case _:  # Other comparisons, formulas and sets are covered by the candidates.
            return None


def _is_simple(expression: formulas.Expression) -> bool:
    """Return whether a condition compares at most one variable, so that the tried values are enough.

    Tests of the kind of a term, such as ISBLANK, are not simple, because they also need blank nodes.
    """
    match expression:
        case formulas.Call(function, arguments) if function in CONNECTIVES:
            return all(map(_is_simple, arguments))
        case formulas.Call(function):
            return function in COMPARED and is_covered(expression) and len(variables(expression)) <= 1
        case _:
            return is_covered(expression)


def push_and_pull(pair: Pair, period: int, setting: Setting, *, same_input: bool = False) -> Contest:
    """Return a search that compares push of the CQELS query (left) with pull of the C-SPARQL query (right).

    If `same_input` is true, push and pull must see the same triples in the period.
    """
    output = output_of(pair.csparql, setting).predicate
    pushed = ask(push(lars_program(pair.cqels, setting), setting.trigger), output)
    pulled = Question(lars_program(pair.csparql, setting), output, Multiples((period,)))
    return Contest(pushed, pulled, period, same_input=same_input)


def two_queries(
    left: EngineQuery, right: EngineQuery, setting: Setting, *, contained: bool = False
) -> Contest:
    """Return a search that compares two queries, both evaluated at every time point.

    If `contained` is true, only a row that the left query has, and the right query has not, is a difference.
    """
    question, other = (
        Question(lars_program(query, setting), output_of(query, setting).predicate, None)
        for query in (left, right)
    )
    return Contest(question, other, 1, contained)


@dataclass(frozen=True, slots=True)
class WitnessSearch:
    """The input of a search for a stream on which two sides differ.

    - `contest` contains the two sides.
    - `streams` are the streams that can have triples.
    - If `static` is None, the search also chooses static triples.
    - `arrivals` is the maximum number of triples. If `arrivals` is None, theorem A7 determines the number.
    - If `any_source` is true, each triple can arrive in any stream, or be static.
    - `more` contains triples from which the search chooses, in addition to triples that match patterns of the
      queries.
    """

    contest: Contest
    streams: tuple[terms.Iri, ...]
    static: Background | None = None
    arrivals: int | None = None
    deadline: Deadline = NEVER
    any_source: bool = False
    more: Candidates | None = None


MOST_TRIPLES: Final = 4
"""The maximum number of triples that a search tries if no theorem limits the number."""


def smallest(
    search: WitnessSearch,
    progress: Progress = no_progress,
    accepted: Callable[[Witness], bool] = lambda _: True,
) -> Decision:
    """Return a decision with the smallest stream on which two sides differ, or why no stream is found.

    An evaluation confirms the stream, and the function `accepted` returns true for its witness.

    Raises:
        FailedRunError: The evaluation does not confirm the found stream.
    """
    # Given static data list the names of their graphs; for chosen triples, rules derive them.
    contest = search.contest if search.static is not None else _with_graphs(search.contest)
    search = replace(search, contest=contest)
    noisy = any(isinstance(side.gate, Arrivals) for side in (contest.left, contest.right))
    complete = not search.contest.same_input and None not in map(most_arrivals, (contest.left, contest.right))
    limited = None if complete else MOST_TRIPLES if search.arrivals is None else search.arrivals
    try:
        with until(search.deadline):
            own = _candidates(search, _copies(contest, limited, noisy=noisy))
            if limited is not None and search.static is None and own.static:
                # The limit counts arrivals only; chosen static triples can need further values.
                own = _candidates(search, _copies(contest, None, noisy=noisy))
    except TimeLimitError:
        return out_of_time(0, None)
    candidates = with_others(own, search.more)
    many = len(candidates.arrivals) + len(candidates.static)
    limit = _limit(search, many)
    sizes, size = range(_fewest(contest, candidates), (limit.triples or 0) + 1), 0
    try:
        for stream in _streams(contest, candidates, sizes, search.deadline, progress):
            size = len(stream.facts)
            with until(search.deadline):
                witness = confirm(search, stream) if _is_readable(stream) else None
            if witness is not None and accepted(witness):
                return Decision("not always", witnesses=(witness,))
    except StoppedSearchError as stopped:
        if stopped.reason != TIME_IS_UP:
            return none_up_to(stopped.arrivals - 1, many, stopped.reason)
        last = stopped.best
        best = None if last is None or not _is_readable(last) else confirm(search, last)
        return out_of_time(stopped.arrivals, best if best is not None and accepted(best) else None)
    except TimeLimitError:
        return out_of_time(size, None)
    except UncoveredError as error:
        return Decision("open", str(error))
    return limit


def none_up_to(triples: int, candidates: int, reason: str, when: str = "at any times") -> Decision:
    """Return the decision that no stream of at most `triples` triples shows a difference.

    The streams were chosen from `candidates` different triples. `reason` is the reason why a larger stream
    may show a difference, and `when` describes the tried times.
    """
    return Decision("open", reason, triples=triples, scope=(candidates, when))


def out_of_time(triples: int, best: Witness | None) -> Decision:
    """Return the decision that time was up during the search for streams with `triples` triples.

    `best` is the best witness found so far, or None.
    """
    verdict: EveryStream = "open" if best is None else "not always"
    return Decision(verdict, TIME_IS_UP, () if best is None else (best,), triples, timed_out=True)


def _fewest(contest: Contest, candidates: Candidates) -> int:
    """Return the number of stream triples that each row of either side certainly needs.

    If the search is about containment, only rows of the left side count.
    """
    sides = (contest.left,) if contest.contained else (contest.left, contest.right)
    return min(fewest_arrivals(side, candidates) for side in sides)


def _copies(contest: Contest, most: int | None, *, noisy: bool) -> Counter[terms.Variable]:
    copies = value_copies(contest.programs, noisy=noisy, most=most)
    return copies + copies if contest.looks_back else copies


def _candidates(search: WitnessSearch, copies: Mapping[terms.Variable, int]) -> Candidates:
    programs = search.contest.programs
    own = candidate_atoms(
        programs, search.streams, search.static, any_source=search.any_source, copies=copies
    )
    return replace(own, arrivals=(*own.arrivals, *_unread(search.contest)))


def _unread(contest: Contest) -> Iterator[terms.Atom]:
    """Yield a triple in a stream that no query reads, if no other triple only makes push evaluate."""
    programs = contest.programs
    gates = [side.gate for side in (contest.left, contest.right) if isinstance(side.gate, Arrivals)]
    if stream_variables(programs) or not any(map(_accepts_other_streams, gates)):
        return
    # A triple of a stream that is read only makes push evaluate if no pattern matches everything.
    matching = any(
        isinstance(triple_of(atom)[1], terms.Variable) for program in programs for atom in patterns(program)
    )
    if matching or not all(map(_accepts_other_streams, gates)):
        named = named_constants(programs)
        names = (terms.Variable(name) for name in ("something", "says", "anything", "elsewhere"))
        yield terms.Atom(STREAM_PREDICATE, tuple(fresh(name, named) for name in names))


def _accepts_other_streams(gate: Arrivals) -> bool:
    return any(isinstance(pattern.arguments[-1], terms.Variable) for pattern in gate.patterns)


def _streams(
    contest: Contest, candidates: Candidates, sizes: range, deadline: Deadline, progress: Progress
) -> Iterator[ChosenStream]:
    """Yield streams that clingo chooses; if the search cannot be encoded for clingo, yield all streams."""
    try:
        yield from chosen_streams(contest, candidates, sizes, deadline, progress)
    except UncoveredError:
        yield from tried_streams(contest, candidates, sizes, deadline, progress)
    except StoppedSearchError as stopped:
        if stopped.reason != TOO_LARGE:
            raise
        try:
            # All smaller streams have been searched before the encoding became too large.
            sizes = range(stopped.arrivals, sizes.stop)
            yield from tried_streams(contest, candidates, sizes, deadline, progress)
        except UncoveredError:
            raise stopped from None


def _is_readable(stream: ChosenStream) -> bool:
    """Return whether the stream and its static data can be written to files with the same meaning.

    A blank node that is in the stream and in the static data would be two nodes in files.
    """
    arriving = (map(constant_of, fact.arguments[:3]) for fact in stream.facts)
    return not shares_blank((atom.arguments for atom in stream.static), arriving)


def _with_graphs(contest: Contest) -> Contest:
    """Return the two sides, with rules that derive the names of graphs from the chosen static triples."""
    left, right = (replace(side, program=_naming(side.program)) for side in (contest.left, contest.right))
    return replace(contest, left=left, right=right)


def _naming(program: Program) -> Program:
    held = (atom for rule in program.rules for part in rule.body for atom, _, _ in atoms(part))
    if not any(terms.signature(atom) == (NAMED, 1) for atom in held):
        return program
    triple = tuple(map(terms.Variable, ("subject", "predicate", "object", "graph")))
    there = (terms.Atom(TRIPLE, triple), formulas.Comparison(triple[-1], "!=", terms.DEFAULT))
    return Program((*program.rules, Rule(terms.Atom(NAMED, triple[-1:]), there)))


def confirm(search: WitnessSearch, stream: ChosenStream) -> Witness:
    """Evaluate both sides on a stream that the search chose, and return the stream as a witness.

    The evaluation does not use results of the search: it evaluates both queries on the stream.

    Raises:
        FailedRunError: The sides do not differ on the stream.
    """
    # Given static data already list the names of their graphs.
    graphs = dict.fromkeys(atom.arguments[-1:] for atom in stream.static if search.static is None)
    named = [terms.Atom(NAMED, graph) for graph in graphs if graph != (terms.DEFAULT,)]
    static = with_atoms(search.static or {}, (*stream.static, *named))
    trace = trace_on(stream.facts, static, stream.timeline, "some")
    contest = search.contest
    left, right = (
        reported(question, kind, trace, stream.start, stream.end)
        for question, kind in zip((contest.left, contest.right), contest.kinds, strict=True)
    )
    left_only, right_only = left - right, frozenset() if contest.contained else right - left
    if not left_only and not right_only:
        raise FailedRunError(f"the evaluation does not confirm the stream that was found: {stream}")
    return Witness(stream.facts, static, stream.start, stream.end, left_only, right_only)


def _limit(search: WitnessSearch, candidates: int) -> Decision:
    """Return the decision if no stream shows a difference: a proof, or the number of triples tried."""
    contest, limit = search.contest, search.arrivals
    enough = [most_arrivals(side) for side in (contest.left, contest.right)]
    # With `contained`, the triples are those of a row of the left side; both sides must still be monotone.
    rows = enough[:1] if contest.contained else enough
    bound = max((count for count in rows if count is not None), default=0) * (1 + contest.looks_back)
    if None in enough or contest.same_input:
        ordered = any(
            isinstance(each, TupleWindow) for program in contest.programs for each in windows(program)
        )
        when = "at any times, the triples of one instant in one order" if ordered else "at any times"
        unbounded = "theorem A7 limits the triples only for monotone queries with time windows"
        same_input = "theorem A7 does not apply to streams with the same input on both sides"
        reason = same_input if contest.same_input else unbounded
        return none_up_to(MOST_TRIPLES if limit is None else limit, candidates, reason, when)
    if problem := why_incomplete(contest.left) or why_incomplete(contest.right):
        reason = f"the values that are tried do not cover all cases of {problem}"
        return none_up_to(bound if limit is None else limit, candidates, reason)
    if limit is not None and limit < bound:
        return none_up_to(limit, candidates, f"by theorem A7, a stream may need {bound} triples")
    origin = "any source" if search.any_source else "the source of its pattern"
    most = quantity(bound, "triple")
    reason = f"A7: a smallest such stream has at most {most}, each from {origin}"
    return Decision("always", reason, triples=bound, scope=(candidates, "at any times"))
