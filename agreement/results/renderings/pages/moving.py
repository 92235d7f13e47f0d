"""The steps of a program for an HTML report in which a slider moves through time.

A step is the evaluation at one time point. The data of a step list, as small numbers, the atoms that enter
and leave since the previous step. A script in the HTML report applies these changes.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from agreement.answering.explaining import ProgramSituation
from agreement.answering.steps import MOST_INSTANCES, Step, steps, windows_in_order
from agreement.documents.outputs import Json, clip_text, quantity, shorten
from agreement.results.renderings.explanation_report import no_answer_stream
from agreement.results.renderings.pages.blocks import short_names
from agreement.results.renderings.pages.page import LATEST_DRAWN
from lars.analysis import windows_of
from lars.errors import LarsError
from lars.explain import Gaps
from lars.language.formulas import BodyLiteral
from lars.language.program import Rule, atoms, is_fact, write_literal
from lars.language.stream import Moment
from lars.language.terms import Atom, signature, unify
from lars.language.windows import Interval, IntervalWindow, Window
from solver.columns import Numbering
from solver.facts import STREAM_PREDICATE, Multiples, canonical_atom, split
from translate.tau import TRIGGER

_MOST_STEPS: Final = 200
_MOST_SECONDS: Final = 20.0
_MOST_ATOMS: Final = 400_000
_MOST_ITEMS: Final = 2_000
_MOST_NUMBERS: Final = 40_000
_MOST_LETTERS: Final = 200_000
"""The limits of steps, seconds of evaluation, atoms in windows, atoms, numbers, and characters of a page."""
_INSTANCES: Final = 5
_MOST_RULES: Final = 100
_MOST_LANES: Final = 12
_LONGEST: Final = 300
"""The limits of a page: instances of a rule, rules, rows of the timeline, and characters of an atom."""


BoundsAt = Callable[[int], Interval]
"""A function that returns the interval of a window at a time."""


def times_of(here: ProgramSituation, span: Interval, start: int) -> tuple[list[int], str]:
    """Return the time points of an HTML report in order, and a sentence about omitted time points.

    If the interval `span` has many time points, only time points at which the input or a window changes are
    chosen; time points near `start` are preferred.
    """
    count = span.last - span.first + 1
    if count <= _MOST_STEPS:
        return list(span), ""
    near = sorted({start, *_turns(here, span, start)} if start in span else _turns(here, span, start))
    chosen = sorted(sorted(near, key=lambda t: abs(t - start))[:_MOST_STEPS]) or [span.first]
    return chosen, (
        f"This report shows {len(chosen)} of {count:,} time points: the time points nearest to "
        f"{here.dates.option(start)} at which input arrives, or enters or leaves a window"
    )


def _turns(here: ProgramSituation, span: Interval, start: int) -> Iterator[int]:
    """Yield the times at which input near `start` arrives, or enters or leaves a window, and next pulls."""
    timeline, times = here.stream.timeline, range(span.first, span.last + 1)
    windows = [window for window in windows_in_order(here.program) if isinstance(window, IntervalWindow)]
    ends = [partial(window.bounds, timeline=timeline) for window in windows]
    gate, _ = split(here.program, TRIGGER)
    pulled = gate if isinstance(gate, Multiples) else Multiples(())
    for u in sorted(here.stream.input, key=lambda u: abs(u - start))[:_MOST_STEPS]:
        # The ends of windows never move back: so each is found without a look at all time points.
        entered = (bisect_left(times, u, key=_last(own)) for own in ends)
        left = (bisect_left(times, u + 1, key=_first(own)) for own in ends)
        for t in {u, *(times[place] for place in (*entered, *left) if place < len(times))}:
            yield from (turn for turn in (t, *(first for first, _ in pulled.next_times(t))) if turn in span)


def _first(ends: BoundsAt) -> Callable[[int], int]:
    return lambda t: ends(t).first


def _last(ends: BoundsAt) -> Callable[[int], int]:
    return lambda t: ends(t).last


def moving(
    here: ProgramSituation, span: Interval, start: int, path: Path, seconds: float = _MOST_SECONDS
) -> Json | None:
    """Return the steps of a program around the time `start`, for the script of an HTML report, or None.

    The evaluation of steps ends after `seconds` seconds, but not before one step is evaluated. The result is
    None if no step can be evaluated.
    """
    if here.stream.timeline.last >= LATEST_DRAWN:
        return None
    times, chosen = times_of(here, span, start)
    begun, found, atoms_so_far = monotonic(), list[Step](), 0
    # Columns evaluate programs that clingo refuses, such as those with large numbers.
    with suppress(LarsError):
        for step in steps(here, sorted(times, key=lambda t: abs(t - start)), path):
            found.append(_as_read(here, step))
            atoms_so_far += sum(len(content) for _, content in found[-1].contents)
            if monotonic() - begun > seconds or atoms_so_far > _MOST_ATOMS:
                break
    if not found:
        return None
    while (page := _encoded(here, found, start)) is None:
        found = found[: len(found) // 2]
    left = len(times) - len(found)
    omitted = (
        f"{quantity(left, 'more step')} of the timeline would make the page too long or too slow, "
        "or cannot be evaluated by clingo"
    )
    more = omitted if left else ""
    return page | {"left": list(filter(None, (chosen, more, *page["left"])))}


def _encoded(here: ProgramSituation, evaluated: Sequence[Step], start: int) -> Json | None:
    """Return the encoded steps for the script; None if the text of more than one step is too long."""
    ordered = sorted(evaluated, key=lambda step: step.t)
    items, items_left = _items(here, ordered, start)
    rules, formulas = _rules(here, items)
    texts: Things = Numbering()
    told = [
        _told(here, step, before, items, texts)
        for before, step in zip((None, *ordered), ordered, strict=False)
    ]
    numbers = sum(len(formula["items"]) for formula in formulas) + sum(map(_numbers, told))
    words = _told_apart([thing[1] if isinstance(thing, tuple) else thing for thing in texts])
    letters = sum(map(len, words)) + sum(len(item["text"]) for item in _drawn(items, ()))
    if len(evaluated) > 1 and (numbers > _MOST_NUMBERS or letters > _MOST_LETTERS):
        return None
    lanes = _lanes(here, items)
    facts = sum(map(is_fact, here.program.rules))
    unshown = max(0, len(here.program.proper_rules) - _MOST_RULES)
    return {
        "items": _drawn(items, lanes),
        "lanes": [*short_names(lanes), "other atoms"],
        "windows": list(map(str, windows_in_order(here.program))),
        "rules": rules,
        "formulas": formulas,
        "facts": facts,
        "texts": [
            f"@_{thing[0]} {text}" if isinstance(thing, tuple) and thing[0] is not None else text
            for thing, text in zip(texts, words, strict=True)
        ],
        "answers": [isinstance(thing, tuple) and _is_answer(here, thing[1]) for thing in texts],
        "steps": told,
        "start": next((place for place, step in enumerate(ordered) if step.t == start), 0),
        "left": [
            *(
                [f"{quantity(items_left, 'more atom')} in windows {_are(items_left)} counted, and not drawn"]
                * bool(items_left)
            ),
            *([f"{quantity(unshown, 'more rule')} {_are(unshown)} left out"] * bool(unshown)),
        ],
    }


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _as_read(here: ProgramSituation, step: Step) -> Step:
    """Return a step whose windows contain only input, and derived atoms that a formula reads there.

    The evaluation puts all atoms at the times of a window into the window, also atoms that were derived for
    other rules.
    """
    read = {(window, signature(atom)) for window, atom in _formulas(here) if atom is not None}
    given = here.stream.input
    contents = (
        (
            interval,
            frozenset(
                (u, atom)
                for u, atom in content
                if (window, signature(atom)) in read or atom in given.get(u, ())
            ),
        )
        for window, (interval, content) in zip(windows_in_order(here.program), step.contents, strict=True)
    )
    return replace(step, contents=tuple(contents))


def _formulas(here: ProgramSituation) -> Iterator[tuple[Window, Atom | None]]:
    for rule in here.program.rules:
        yield from filter(None, map(_formula, rule.body))


def _formula(literal: BodyLiteral) -> tuple[Window, Atom | None] | None:
    """Return the window and the atom that a body literal reads; None for a literal without window.

    The atom is None if the literal reads `true` in the window.
    """
    window = next(windows_of(literal), None)
    atom = next((canonical_atom(atom) for atom, _, _ in atoms(literal)), None)
    return None if window is None else (window, atom)


Items = Numbering[Moment]
Held = tuple[int | None, Atom]
"""A derived atom with its time; None if this is the time of the step."""
Things = Numbering[Held | Rule | BodyLiteral]


def _items(here: ProgramSituation, ordered: Sequence[Step], start: int) -> tuple[Items, int]:
    """Return the shown atoms, which are the nearest to `start`, and the number of omitted atoms."""
    every = {moment for step in ordered for _, content in step.contents for moment in content}
    first, last = (ordered[0].t, ordered[-1].t) if ordered else (0, -1)
    every |= {(u, atom) for u, own in here.stream.input.items() if first <= u <= last for atom in own}
    near = sorted(every, key=lambda moment: (abs(moment[0] - start), moment[0], str(moment[1])))
    items: Items = Numbering()
    for moment in sorted(near[:_MOST_ITEMS], key=lambda moment: (moment[0], str(moment[1]))):
        items[moment]
    return items, len(every) - len(items)


def _text(text: str) -> str:
    return clip_text(shorten(text), _LONGEST)


def _told_apart(things: Iterable[Atom | Rule | BodyLiteral]) -> list[str]:
    """Return atoms, rules and literals as texts with short terms; if two texts would be equal, in full."""
    whole = {thing: str(thing) if isinstance(thing, Rule) else write_literal(thing) for thing in things}
    every = {thing: _text(text) for thing, text in whole.items()}
    alike = Counter(every.values())
    texts = {
        thing: text if alike[text] == 1 else clip_text(whole[thing], _LONGEST)
        for thing, text in every.items()
    }
    return [texts[thing] for thing in things]


def _is_answer(here: ProgramSituation, atom: Atom) -> bool:
    if here.query is not None:
        return atom.predicate == "ans1"
    return here.program.answers is None or signature(atom) in here.program.answers


def _lane(atom: Atom) -> str:
    if atom.predicate == STREAM_PREDICATE:
        return str(atom.arguments[-1])
    return f"{atom.predicate}/{len(atom.arguments)}"


def _lanes(here: ProgramSituation, items: Items) -> list[str]:
    """Return the names of the timeline's rows with the most atoms; rows for input come first."""
    counts = Counter(_lane(atom) for _, atom in items)
    lanes = [lane for lane, _ in counts.most_common(_MOST_LANES)]
    given = {_lane(atom) for own in here.stream.input.values() for atom in own}
    return sorted(lanes, key=lambda lane: lane not in given)


def _drawn(items: Items, lanes: Sequence[str]) -> list[Json]:
    places = {lane: place for place, lane in enumerate(lanes)}
    texts = _told_apart([atom for _, atom in items])
    return [
        {"t": t, "text": text, "lane": places.get(_lane(atom), len(lanes))}
        for (t, atom), text in zip(items, texts, strict=True)
    ]


def _rules(here: ProgramSituation, items: Items) -> tuple[list[Json], list[Json]]:
    """Return the rules, divided into literals, and the literals' formulas with windows and matching atoms."""
    windows = windows_in_order(here.program)
    known = Numbering[tuple[Window, Atom | None]]()
    numbered = [(number, rule) for number, rule in enumerate(here.program.rules, 1) if not is_fact(rule)]
    rules = []
    for number, rule in numbered[:_MOST_RULES]:
        parts = []
        for literal in rule.body:
            formula = _formula(literal)
            parts.append(
                {
                    "text": _text(write_literal(literal)),
                    "formula": None if formula is None else known[formula],
                }
            )
        rules.append(
            {"number": number, "head": "" if rule.head is None else _text(str(rule.head)), "parts": parts}
        )
    formulas = [
        {
            "window": windows.index(window),
            "items": [
                place
                for (_, own), place in items.items()
                if atom is not None and unify(atom, own, {}) is not None
            ],
        }
        for window, atom in known
    ]
    return rules, formulas


def _told(here: ProgramSituation, step: Step, before: Step | None, items: Items, texts: Things) -> Json:
    """Return a step as numbers: of the atoms and texts that enter or leave since the previous step."""
    windows = []
    for place, (interval, content) in enumerate(step.contents):
        old = frozenset[Moment]() if before is None else before.contents[place][1]
        ends = None if interval is None else [interval.first, interval.last]
        windows.append([ends, len(content), *_change(old, content, items)])
    now, then = _holding(step), [] if before is None else _holding(before)
    shown = [
        [texts[held] for held in now if held not in then],
        sorted(texts[held] for held in then if held not in now),
    ]
    signs = shown if before is None else _signs(step, before, texts)
    return {
        "t": step.t,
        "windows": windows,
        "holds": shown,
        # An atom of an earlier time keeps its place, but its text changes.
        **({} if signs == shown else {"signs": signs}),
        "fires": [
            [
                *(number, min(len(instances), MOST_INSTANCES), len(instances) > MOST_INSTANCES),
                [texts[instance] for instance in instances[:_INSTANCES]],
            ]
            for number, instances in step.instances.items()
        ],
        "fails": [
            [number, place, texts[literal], others, *_missing(gaps, texts)]
            for number, (_, place, literal, others, gaps) in step.shown_failures(before).items()
        ],
        "streams": step.count,
        "more": step.more,
        **({} if step.unanswered is None else {"why": no_answer_stream(step.unanswered, here.dates)}),
        "silent": here.query is not None and (step.t, TRIGGER) not in (step.derived or ()),
    }


def _signs(step: Step, before: Step, texts: Things) -> list[list[int]]:
    """Return the texts of the atoms that are new since the previous step, and of those that are gone.

    An atom is the same if it is derived for the same time, or in both steps for the time of the step.
    """
    now, then = set(step.derived or ()), set(before.derived or ())
    new, gone = now - then, then - now
    kept = {atom for u, atom in new if u == step.t} & {atom for u, atom in gone if u == before.t}
    new -= {(step.t, atom) for atom in kept}
    gone -= {(before.t, atom) for atom in kept}
    return [
        [texts[held] for held in _holding(step) if _moment(held, step.t) in new],
        sorted(texts[held] for held in _holding(before) if _moment(held, before.t) in gone),
    ]


def _moment(held: Held, t: int) -> Moment:
    return (t if held[0] is None else held[0]), held[1]


def _missing(gaps: Gaps | None, texts: Things) -> Iterator[int | Sequence[int]]:
    """Yield the atom that □ needs, the first times at which it is missing, and the number of these times."""
    if gaps is not None:
        yield texts[gaps.atom]
        yield [*gaps.first]
        yield gaps.count


def _change(old: Collection[Moment], new: Collection[Moment], items: Items) -> tuple[list[int], list[int]]:
    entered, left = set(new) - set(old), set(old) - set(new)
    return sorted(items[one] for one in entered if one in items), sorted(
        items[one] for one in left if one in items
    )


def _holding(step: Step) -> list[Held]:
    """Return a step's derived atoms in a fixed order, each with its time if this is not the step's time."""
    held: list[Held] = [(None if u == step.t else u, atom) for u, atom in step.derived or ()]
    return sorted(held, key=lambda one: (one[0] is not None, one[0] or 0, str(one[1])))


def _numbers(written: Json) -> int:
    changes = sum(len(entered) + len(left) for _, _, entered, left in written["windows"])
    return (
        changes
        + sum(map(len, (*written["holds"], *written.get("signs", ()))))
        + sum(len(texts) for *_, texts in written["fires"])
        + len(written["fails"])
    )
