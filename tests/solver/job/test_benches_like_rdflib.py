"""The queries of two benchmarks on their streams, from the query's text to clingo's answers, against rdflib.

The other side is made here by hand: the streaming clauses are cut out of the text, the window's
triples become a graph, and rdflib evaluates what is left of the query over it.
"""

import re
import warnings
from collections import defaultdict
from functools import cache
from typing import get_args

import pytest
import rdflib
from rdflib.plugins.sparql import prepareQuery

from lars.durations import SECOND
from lars.language.windows import Bounds, Interval
from solver.facts import Situation
from solver.job import ask
from solver.settings import TraceOptions, TraceWarning
from tests.benches import BOTH, CSRBENCH, GREENHOUSE, triple_files
from tests.packs import pack
from tests.sizes import few
from tests.solver.in_process import evaluate
from tests.solver.traces.both_readings import fact_of_row, read_trace_in_process
from translate.dialects import read_query
from translate.model.query import Language, Profile, Setting
from translate.tau import lars_program, pull, push

CLAUSE = r"STREAM <[^>]*> \[RANGE (\d+)s (?:STEP|SLIDE) (\d+)s\]"


@cache
def facts(bench):
    options = TraceOptions(unit=SECOND, query_streams=(bench.iri,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TraceWarning)  # it has elements at time 0
        return [fact_of_row(row) for row in read_trace_in_process([bench.stream], options)]


def timeline(bench):
    """Return seconds beyond the stream's end, until every window has run empty."""
    return Interval(0, bench.last + 22)


@cache
def triples(bench, second):
    file = triple_files(bench).get(second)
    return frozenset(rdflib.Graph().parse(file)) if file else frozenset()


@pytest.fixture(autouse=True)
def lexical_forms_kept(monkeypatch):
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)


def without_streaming(text):
    return re.sub(rf"REGISTER QUERY \w+ AS|(?:FROM )?{CLAUSE}", "", text)


# Windows of these benches that are open at both ends show too little to tell anything.
ENDS = [bounds for bounds in get_args(Bounds) if bounds != "open"]


def window(text, bounds, t):
    """The first and the last second that the query's window shows at t."""
    length, slide = map(int, re.search(CLAUSE, text).groups())
    pivot = t // slide * slide
    return pivot - length + (bounds == "low-open"), pivot - (bounds == "high-open")


prepared = cache(prepareQuery)


@cache
def answers_of_rdflib(bench, text, first, last):
    graph = rdflib.Graph(bind_namespaces="none")
    for triple in frozenset().union(*(triples(bench, second) for second in range(first, last + 1))):
        graph.add(triple)
    found = graph.query(prepared(without_streaming(text)))
    columns = sorted(found.vars)
    return frozenset(tuple(row[name].n3() for name in columns) for row in found)


def answers_of_clingo(bench, text, setting, mode):
    query = read_query(text, "query.rq")
    question = ask(mode(lars_program(query, setting)), ("ans1", len(query.result)))
    found = defaultdict(set)
    for answer in evaluate([question], Situation(timeline(bench), facts(bench), {}), timeline(bench)):
        found[answer.t].add(answer.row)
    return found


def check(bench, text, setting, mode, seconds):
    """Return how many rows are alike; at none but the mode's `seconds` there may be an answer."""
    ours = answers_of_clingo(bench, text, setting, mode)
    theirs = {t: answers_of_rdflib(bench, text, *window(text, setting.bounds, t)) for t in seconds}
    for t in timeline(bench):
        assert ours[t] == theirs.get(t, set()), f"the rows at {t} differ"
    return sum(map(len, theirs.values()))


PROFILES = [
    *((GREENHOUSE, profile) for profile in get_args(Profile)),
    pytest.param(CSRBENCH, "sparql11", marks=pack("csrbench")),
]


@pytest.mark.parametrize("bounds", ENDS)
@pytest.mark.parametrize("language", [Language.CSPARQL, Language.CQELS])
@pytest.mark.parametrize("number", few([1, 2, 5], 1))
@pytest.mark.parametrize(("bench", "profile"), PROFILES)
def test_clingo_answers_as_rdflib_does(bench, number, language, bounds, profile):
    text, setting = bench.query(language.value, number), Setting(profile, SECOND, bounds)
    step = int(re.search(CLAUSE, text)[2])
    rows = [check(bench, text, setting, push, range(bench.last + 1))]
    for period in (1, step):
        seconds = range(0, timeline(bench).last + 1, period)
        rows.append(
            check(bench, text, setting, lambda program, period=period: pull(program, period), seconds)
        )
    print(f"alike at all {len(list(timeline(bench)))} seconds: {rows} rows for push, pull 1, pull {step}")
    assert all(rows)


@pytest.mark.parametrize("bench", BOTH)
def test_the_trace_is_read_as_rdflib_reads_it(bench):
    for t in range(bench.last + 1):
        ours = {fact.arguments[:3] for fact in facts(bench) if fact.t == t}
        assert ours == {tuple(term.n3() for term in triple) for triple in triples(bench, t)}
    assert {fact.t for fact in facts(bench)} == set(range(bench.last + 1))


def average(rows):
    """Return the one row of an average as a number, None where it is unbound; no row is ()."""
    ((text,),) = rows or (("()",),)
    return () if text == "()" else None if text is None else round(float(re.match('"(.*)"', text)[1]), 9)


NOTHING = {Language.CSPARQL: 0.0, Language.SPARQLSTREAM: None, Language.CQELS: ()}
"""The average of an empty window (SEMANTICS T13)."""


@pytest.mark.parametrize("bounds", ENDS)
@pytest.mark.parametrize("language", NOTHING)
@pytest.mark.parametrize("bench", BOTH)
def test_the_average_is_that_of_rdflib_and_that_of_nothing_the_languages_own(bench, language, bounds):
    text, plain = bench.query(language.value, 4), bench.query("csparql", 4)
    setting = Setting("paper2015", SECOND, bounds)
    ours = answers_of_clingo(bench, text, setting, lambda program: pull(program, 1))
    values = set()
    for t in timeline(bench):
        theirs = average(answers_of_rdflib(bench, plain, *window(plain, bounds, t)))
        values.add(theirs)
        # The query asks for large values only: 0 is the average of none.
        assert average(ours[t]) == (theirs or NOTHING[language])
    assert len(values) > 3
