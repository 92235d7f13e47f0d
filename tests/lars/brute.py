"""Both readings by enumeration: all smaller streams, and formulas unfolded into their moments."""

from itertools import combinations

from hypothesis import strategies as st

from lars.language.formulas import At, Box, Diamond, In, Not, Truth
from lars.language.program import Program
from lars.language.stream import cut, moments, with_moments
from lars.language.terms import Atom, Number
from lars.language.windows import TimeWindow
from lars.semantics import all_background, choices, separate
from lars.semantics.definitions import is_model, reduct
from tests.lars.naive import naive_rules
from tests.lars.strategies import A, T, candidates, formulas, patterns, rules, safe_rule


def parts_of(case):
    """Return the rules grounded over all constants, the data for each choice of ties, and B."""
    known = all_background(case.program, case.background)
    data = choices(case.program, separate(case.program, case.stream), case.t)
    return tuple(dict.fromkeys(naive_rules(case))), list(data), known


def smaller_streams(data, found):
    """Yield each stream strictly between the data and what was found."""
    added = sorted(found - moments(data), key=str)
    for size in range(len(added)):
        yield from (with_moments(data, chosen) for chosen in combinations(added, size))


def is_flp(case, parts, found):
    """Whether the atoms make an answer stream, by the definition: minimal among all the smaller."""
    naive, all_data, known = parts
    return any(_is_flp(naive, data, found, case.t, known) for data in all_data)


def _is_flp(naive, data, found, t, known):
    whole = with_moments(data, found)
    if not is_model(naive, whole, t, known):
        return False
    left = reduct(naive, whole, t, known)
    return not any(is_model(left, smaller, t, known) for smaller in smaller_streams(data, found))


def is_founded(case, parts, found):
    """Whether they make one of the founded reading: ¬ as the whole decides, the rest minimal."""
    naive, all_data, known = parts
    return any(_is_founded(naive, data, found, case.t, known) for data in all_data)


def _is_founded(naive, data, found, t, known):
    whole = with_moments(data, found)
    if not is_model(naive, whole, t, known):
        return False
    left = [([unfolded(f, whole, t) for f in r.body], r.head) for r in reduct(naive, whole, t, known)]
    left = [([decided(f, whole, known) for f in body], unfolded(head, whole, t)) for body, head in left]
    return not any(
        all(true(head, s, known) or not all(true(f, s, known) for f in body) for body, head in left)
        for s in smaller_streams(data, found)
    )


def unfolded(formula, stream, t):
    """Return and, or, not of moments: ◇ and □ by their times, which windows of input fix."""
    match formula:
        case Atom():
            return "atom", t, formula, stream.input.get(t, ())
        case Truth():
            return ("and",)
        case Not(inner):
            return "not", unfolded(inner, stream, t)
        case Diamond(inner):
            return ("or", *(unfolded(inner, stream, u) for u in stream.timeline))
        case Box(inner):
            return ("and", *(unfolded(inner, stream, u) for u in stream.timeline))
        case At(Number(u), inner):
            return unfolded(inner, stream, u) if u in stream.timeline else ("or",)
        case In(window, inner):
            shown = cut(stream, window, t)
            return _outside(unfolded(inner, shown, t), shown.timeline)


def _outside(tree, timeline):
    """Make the atoms of the stream at times that a window does not show false; B's stay."""
    match tree:
        case ("atom", t, formula, _) if t not in timeline:
            return "background", formula
        case (("and" | "or" | "not") as how, *inner):
            return (how, *(_outside(one, timeline) for one in inner))
        case _:
            return tree


def true(tree, stream, known):
    match tree:
        case ("atom", t, formula, shown):
            return formula in shown or formula in stream.derived.get(t, ()) or formula in known
        case ("background", formula):
            return formula in known
        case ("not", inner):
            return not true(inner, stream, known)
        case ("and", *inner):
            return all(true(one, stream, known) for one in inner)
        case ("or", *inner):
            return any(true(one, stream, known) for one in inner)


def decided(tree, whole, known):
    """Replace each outermost ¬ by its truth in the whole."""
    match tree:
        case ("not", _):
            return ("and",) if true(tree, whole, known) else ("or",)
        case (("and" | "or") as how, *inner):
            return (how, *(decided(one, whole, known) for one in inner))
        case _:
            return tree


# Near misses, and circles


@st.composite
def near(draw, case, found):
    """Atoms near some answer stream, or any of the candidates, with one that no rule derives at times."""
    possible = sorted(candidates(case), key=str)
    base = draw(st.sampled_from([*found, frozenset()]))
    times = st.integers(case.stream.timeline.first, case.stream.timeline.last)
    stray = st.tuples(times, st.sampled_from((Atom("p"), Atom("q"), Atom("r", (A,)))))
    more = st.sampled_from(possible) if possible else stray
    changed = draw(st.frozensets(st.one_of(more, more, more, stray), max_size=3))
    data = moments(separate(case.program, case.stream))
    return (base ^ changed if draw(st.booleans()) else frozenset(draw(st.sets(more)))) | data


@st.composite
def circular_rules(draw):
    """Rules whose body has p, q or r under two ¬, with windows between or around them."""
    atom, head = (draw(st.sampled_from((Atom("p"), Atom("q"), Atom("r", (A,))))) for _ in range(2))
    window = TimeWindow(draw(st.integers(0, 2)))
    deep = draw(
        st.sampled_from(
            (
                *(Not(Not(atom)), Not(In(window, Box(Not(atom)))), Not(In(window, Diamond(Not(atom))))),
                *(In(window, Diamond(Not(Not(atom)))), Not(Not(In(window, Diamond(atom))))),
                *(Not(In(window, Not(In(window, Box(atom))))), In(window, Diamond(atom))),
            )
        )
    )
    more = draw(st.lists(formulas(patterns), max_size=1))
    timed = At(T, head) if draw(st.booleans()) else head
    seen = (In(TimeWindow(1), At(T, Truth())),) if isinstance(timed, At) else ()
    return safe_rule(timed, (*seen, deep, *more))


def circular_programs():
    return st.lists(st.one_of(circular_rules(), circular_rules(), rules()), min_size=1, max_size=3).map(
        lambda found: Program(tuple(found))
    )
