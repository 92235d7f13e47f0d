"""Windows as ASP rules: `window(w,A,B)` is the interval that w shows at now, `kept` what ⊞^{#n} keeps.

What tuple windows expect as facts: `arrival(w,p,a,u,n)`, the n-th input atom in order of arrival
that w counts in its partition p is a, at time u.
"""

from collections.abc import Iterator
from typing import assert_never

from lars.windows import Interval, SlidingWindow, Ties, TimeWindow, TupleWindow, Window


def window_rules(window: Window, number: int) -> Iterator[str]:
    """Yield the rules of a window, one a line."""
    match window:
        case TimeWindow():
            yield _interval(window, number)
        case SlidingWindow():
            yield _active(window, number)
        case TupleWindow():
            yield from _newest(window, number)
        case _:
            assert_never(window)


def _interval(window: TimeWindow, number: int) -> str:
    first = "F"
    head = f"window({number},A,B) :- now(T); timeline(F,L)"
    pivot = "T" if window.step == 1 else f"(T/{window.step})*{window.step}"
    origin = TimeWindow(window.past, window.future, 1, window.ends).bounds(0, Interval(-(10**9), 10**9))
    if window.past is not None:
        first = f"#max{{X : X = F; X : X = {_moved(pivot, origin.first)}}}"
    return f"{head}; A = {first}; B = #min{{X : X = L; X : X = {_moved(pivot, origin.last)}}}."


def _active(window: SlidingWindow, number: int) -> str:
    # Openings that have been passed: a division of ASP cuts off towards 0, so it is of numbers >= 0.
    late = f"T-{window.start + window.width}"
    passed = f"((|{late}|+({late}))/2+{window.slide - 1})/{window.slide}"
    first = f"#max{{X : X = F; X : X = ({passed})*{window.slide}{window.start + 1:+d}}}"
    return f"window({number},A,B) :- now(T); timeline(F,L); A = {first}; B = #min{{X : X = L; X : X = T}}."


def _moved(pivot: str, by: int) -> str:
    return f"{pivot}{by:+d}" if by else pivot


def _newest(window: TupleWindow, w: int) -> Iterator[str]:
    newest = f"N <= M; N > M-{window.size}"
    arrived = f"M = #max{{N : arrival({w},P,_,U,N), U <= T}}; M > 0"
    yield f"newest({w},P,M) :- now(T); arrival({w},P,_,_,_); {arrived}."
    if window.ties is Ties.ARRIVAL:
        yield f"kept({w},X,U) :- newest({w},P,M); arrival({w},P,X,U,N); {newest}."
        yield f"window({w},A,T) :- now(T); A = #min{{X : X = T+1; U : kept({w},_,U)}}."
        return
    counted = f"arrival({w},P,_,U,N), {newest.replace(';', ',')}"
    yield f"oldest({w},P,V) :- newest({w},P,M); V = #min{{U : {counted}}}."
    shown = f"now(T); oldest({w},P,V); arrival({w},P,X,U,_); U <= T"
    if window.ties is Ties.ALL:
        yield f"kept({w},X,U) :- {shown}; V <= U."
    else:
        yield f"kept({w},X,U) :- {shown}; V < U."
        # As many as fit; which of them is the choice.
        fitting = f"C = #count{{N : arrival({w},P,_,V,N), {newest.replace(';', ',')}}}"
        yield (
            f"{{kept({w},X,V) : arrival({w},P,X,V,_)}} = C :- newest({w},P,M); oldest({w},P,V); "
            f"arrival({w},P,_,V,_); {fitting}."
        )
    yield f"window({w},A,T) :- now(T); A = #min{{X : X = T+1; V : oldest({w},_,V)}}."
