"""The causes that the program finds against the definitions, of one random comparison."""

from dataclasses import replace
from functools import lru_cache

from agreement.comparing.agree.agreeing import Pair, compare_pairs
from agreement.documents.requests.query_files import with_sources
from agreement.documents.traces import LocalTrace, background
from lars.durations import Duration
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Fact, Static
from tests.agreement.cause_cases import LAST, E, case, term, text
from tests.agreement.cause_definitions import Definitions, text_of
from translate.dialects import read_query
from translate.model.query import Dataset, Setting


def checked(seed):
    """Return the causes of a seed's differences, by side, and what the program says otherwise."""
    return checked_case(case(seed))


def checked_case(one):
    """Return the same of a comparison."""
    known, found = Definitions(one), found_by_program(one)
    expected = [
        (end, side, tuple(map(written, row)), cause, last)
        for end, side, row, cause, last in known.differences()
    ]
    wrong = set(found) ^ set(expected) | {one for one in found if known.refuted(*one[:2], *one[3:])}
    return [one[1:4:2] for one in found], sorted(wrong, key=str)


def found_by_program(one):
    """Return what the program says, in the form of the definitions."""
    queries = [with_ahead(known_query(text(one, merged=merged)), one) for merged in (True, False)]
    pushed, pulled = (
        background(Static(frozenset(map(texts, one.static | own)), {}), Dataset(), lambda _: None)
        for own in one.alone
    )
    facts = [Fact(a.t, "striple", (*texts(a[2:]), f"<{a.stream}>")) for a in one.arrivals]
    trace = LocalTrace(trace_columns(facts), Interval(0, LAST), pulled)
    setting = replace(Setting(), bounds=one.bounds, trigger=one.trigger)
    report = compare_pairs([Pair(*queries)], [one.period], trace, setting, pushed)
    variant = report.variants[0]
    return [
        (interval.end, found.side, tuple(t or "" for t in found.row), found.cause, found.pushed)
        for interval in variant.verdicts[0].intervals
        for found in variant.differences(interval)
    ]


def with_ahead(query, one):
    """Return a query whose windows look ahead as far as the case says, which neither language can express."""
    ahead = {f"<{window.stream}>": Duration(window.ahead * 10**9) for window in one.pull if window.ahead}

    def changed(source):
        if (more := ahead.get(str(source.stream))) is None:
            return source
        return replace(source, window=replace(source.window, ahead=more))

    return with_sources(query, changed) if ahead else query


@lru_cache
def known_query(written_query):
    return read_query(written_query, "q.rq")


def texts(nodes):
    s, p, o = nodes
    return written(term(s)), f"<{E}{p}>", written(term(o))


def written(node):
    if node is None:
        return ""
    return text_of(node)
