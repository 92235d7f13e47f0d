"""In Python, messages name keywords and functions, not options and commands of a shell."""

import pandas as pd
import pytest

from agreement import api
from agreement.cli.commands import COMMANDS
from agreement.results.base.library import answering
from agreement.results.base.sources import COMMANDS_ONLY, in_keywords
from tests.agreement.command import lars

BADGES = "REGISTER QUERY q AS SELECT ?p FROM STREAM <e:badges> [RANGE 20s STEP 5s] WHERE { ?p <e:enters> ?r }"
TRACE = [(1, ("e:ann", "e:enters", "e:lab")), (7, ("e:bob", "e:enters", "e:lab"))]


def test_the_derived_query_is_printed_by_the_call_in_the_warning():
    (warned,) = (text for text in api.agree(BADGES, TRACE, period=5, unit="1s").warnings if "W2" in text)
    assert 'give the same inputs to `api.translate(..., to="cqels")`, remove SLIDE' in warned
    queries = api.translate(BADGES, TRACE, to="cqels").queries
    assert list(queries) == ["brave", "cautious"]
    pushed = queries["brave"].replace(" SLIDE 5s", "")
    found = api.agree(BADGES, pushed, TRACE, period=5, unit="1s", to=30)
    assert not [text for text in found.warnings if "W2" in text]
    assert {row.side for row in found.differences} == {"pull"}


def test_a_trace_of_a_query_that_names_its_streams_has_no_effect(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?p { STREAM <e:s> [RANGE 3s] { ?p <e:q> ?r } }")
    (tmp_path / "t.csv").write_text("t,stream,s,p,o\n1,e:s,e:a,e:q,e:b\n")
    ran = lars("translate", tmp_path / "q.rq", tmp_path / "t.csv", "--to", "rspql")
    assert (ran.code, "no pattern must be assigned to a stream" in ran.err) == (2, True)


def test_the_traces_of_a_shell_name_the_streams_too(tmp_path):
    (tmp_path / "q.rq").write_text(BADGES)
    (tmp_path / "t.csv").write_text("t,s,p,o\n1,e:ann,e:enters,e:lab\n")
    every = "--to", "cqels", "--variant", "all"
    ran = lars("translate", tmp_path / "q.rq", tmp_path / "t.csv", *every)
    assert (ran.code, ran.out.count("STREAM <e:badges> [RANGE 20s SLIDE 5s]")) == (0, 2), ran.err
    named = lars("translate", tmp_path / "q.rq", "--stream", f"e:badges={tmp_path / 't.csv'}", *every)
    assert named.out == ran.out


def test_a_query_without_trace_names_its_own_stream_in_the_remedy():
    with pytest.raises(api.LarsError, match=r"add a trace .*, or use assign=\{\"e:badges\": \"e:enters\"\}"):
        api.translate(BADGES, to="cqels")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("use --assign STREAM=PREDICATE", 'use assign={"STREAM": "PREDICATE"}'),
        ("use --to cqels.", 'use to="cqels".'),
        ("(--static), or --period 5, --period 7s", '(static=), or period=5, period="7s"'),
        ("--trace-unit requires a trace", "trace_unit= requires a trace"),
        ("use --at TIME", "use at=TIME"),
        ("use --to 'NA' if so", "use to='NA' if so"),
        ("cannot use --step all: use --step none", 'cannot use step="all": use step="none"'),
        ("use --sort or --in-processes", "use sort=True or --in-processes"),
        ("give it to `lars translate --to cqels`", 'give it to `api.translate(..., to="cqels")`'),
        ("use `lars solve` or `lars play`", "use `api.solve` or `lars play`"),
        ("as `lars translate q.rq --to cqels` prints", "as `lars translate q.rq --to cqels` prints"),
    ],
)
def test_options_in_a_sentence_become_keywords(sentence, expected):
    assert in_keywords(sentence, answering(api.translate).options) == expected


def test_each_command_without_a_function_is_known():
    names = [name for name in COMMANDS if not hasattr(api, name.replace("-", "_"))]
    assert set(names) == COMMANDS_ONLY


def test_a_time_column_of_another_name_is_named():
    for name in ("time", "timestamp"):
        table = pd.DataFrame({name: [1], "atom": ["q"]})
        with pytest.raises(api.LarsError, match=f"; use t as the name of the column {name}$"):
            api.solve("p ← q.", table)
