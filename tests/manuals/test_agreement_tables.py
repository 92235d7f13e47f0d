"""Each row of the tables about agreement and judging: causes, keys, engines, formats."""

import inspect
import json
import re
import tomllib
from math import log
from typing import get_args, get_type_hints

import numpy as np
import pytest
from rdflib import Graph, URIRef

from agreement import api
from agreement.cli.commands import COMMANDS as DECLARED
from agreement.comparing.agree.sides import CAUSES as ROW_CAUSES
from agreement.comparing.watch.answers import PeriodSemantics
from agreement.engines.adapters.built_in import BuiltInOptions
from agreement.engines.adapters.messages import REPLIES, REQUEST, ProfileReply
from agreement.engines.registry import ENGINES
from agreement.proving.suite.suite_tests import chosen_streams
from agreement.results.base.library import answering
from agreement.results.files.watched import watch
from solver.columns import InputAtoms, TermCodes, TraceColumns
from tests.benchmarks.commands import MOST_MEMORY, SQUARE
from tests.benchmarks.growing import GROWING
from tests.manuals.pages import BLOCKS, PAGES, ROOT, block, rows, snippets
from tests.manuals.running import copied, run
from translate.model.query import Language, Setting

INDEX = rows("agreement/README.md", "| page | contents |")
COMMANDS = rows("README.md", "| command | result |")
TABLES = rows("agreement/manual/tables.md", "| command | table | has a row for each |")
CAUSES = rows("README.md", "| cause | why only one side reports the row |")
KEYS = rows("agreement/manual/experiments.md", "| key | meaning |")
ENGINE_KEYS = rows("agreement/manual/experiments.md", "| key of `[[engines]]` | meaning |")
ANSWERS = rows("agreement/manual/judge.md", "| `--answers-format` | contents |")
SHOWN = rows("agreement/manual/reports.md", "| report of | contents |")
RESULTS = rows("agreement/manual/python.md", "| result of | attributes |")
ELEMENTS = rows("agreement/manual/python.md", "| element | content |")
MESSAGES = rows("agreement/manual/adapters.md", "| message | reply |")
PROFILE_KEYS = rows("agreement/manual/adapters.md", "| key of the reply to `open` | meaning [default] |")
SERVED = rows("agreement/manual/adapters.md", "| option of `lars serve-engine` | meaning |")
DUE = rows("agreement/manual/judge.md", "| window | content at the reference time t | due at |")
PLAY_LIMITS = rows("agreement/manual/play.md", "| limit | value |")
PLAY_REFERENCES = rows("agreement/manual/play.md", "| reference | in the playground |")
VERSIONS = rows("agreement/manual/judge.md", "| engine version | language | engine |")


def test_each_command_has_its_row():
    named = [snippets(row[0])[0].removeprefix("lars ") for row in COMMANDS]
    shown = re.findall(r"^  ([a-z][a-z-]*)  ", run("lars --help", ROOT)[1], re.MULTILINE)
    assert sorted(named) == sorted(shown)


def test_the_index_names_each_page():
    named = {name for row in INDEX for name in re.findall(r"manual/([\w-]+)\.md", row[0])}
    assert len(named) == len(INDEX) == 14


def test_the_causes_are_those_that_are_tried_in_this_order():
    assert [row[0] for row in CAUSES] == [*ROW_CAUSES]


def test_each_cause_is_told_how_it_is_tried():
    tried = rows("agreement/manual/agree.md", "| cause | condition |")
    assert [row[0] for row in tried] == [row[0] for row in CAUSES]


BESIDE = ("columns.json", ".set-of-tables.sha256")


def test_the_tables_are_those_that_are_written(tmp_path):
    copied(tmp_path)
    inputs = {"lars agree": "samples/slide", "lars solve": "samples/door/door.lars samples/door/door.atoms"}
    for command, given in inputs.items():
        names = [snippets(row[1]) for row in TABLES if snippets(row[0]) == [command]]
        written = {(): {f"{name}.csv" for name, *option in names if not option}}
        for name, option, instead in (one for one in names if len(one) > 1):
            written[(option,)] = written[()] - {f"{instead}.csv"} | {f"{name}.csv"}
        for more, expected in written.items():
            run(f"{command} {given} --out {command[5:]} --out-format csv {' '.join(more)}", tmp_path)
            assert {path.name for path in (tmp_path / command[5:]).iterdir()} == {*expected, *BESIDE}


def test_judge_writes_one_of_its_tables(tmp_path):
    copied(tmp_path)
    (row,) = (row for row in TABLES if row[0] == "`lars judge`")
    judged = "samples/judged/met/query.cqels.rq samples/judged/met/doors.nq --answers-unit 1ms"
    answers = "--answers samples/judged/met/answers.cqels.ndjson --out o --out-format csv"
    for name, engine in (("windows", "cqels"), ("steps", "cqels-2011")):
        run(f"lars judge {judged} {answers} --engine {engine}", tmp_path)
        assert {path.name for path in (tmp_path / "o").iterdir()} == {f"{name}.csv", *BESIDE}
    assert snippets(row[1]) == ["windows", "steps", "cases"]


def test_the_keys_are_those_of_an_experiment():
    schema = json.loads(run("lars agree --schema", ROOT)[1])
    engine = schema["$defs"]["EngineTable"]
    for table, told in ((KEYS, schema), (ENGINE_KEYS, engine)):
        keys = {key for row in table for key in snippets(row[0])}
        if "--engine" in keys:  # one row for the languages
            keys = keys - {"--engine"} | {language.value for language in Language}
        assert sorted(keys) == sorted(told["properties"])


def test_a_window_without_step_closes_at_every_time_point(tmp_path):
    copied(tmp_path)
    query = "SELECT ?who FROM STREAM <http://example.org/doors> [RANGE 10s] { ?who ?does ?what }"
    (tmp_path / "q.rq").write_text(query, encoding="utf-8")
    _, out = run("lars solve q.rq samples/judged/met/doors.nq --as csparql --until 20", tmp_path)
    assert [int(t) for t in re.findall(r"^(\d+):", out, re.MULTILINE)] == [*range(10, 21)]


def test_the_engine_versions_are_those_that_there_are():
    assert {snippets(row[0])[0] for row in VERSIONS} == set(ENGINES)


def test_each_engine_version_reads_its_language(tmp_path):
    copied(tmp_path)
    files = {"C-SPARQL": "csparql", "CQELS": "cqels"}
    for row in VERSIONS:
        if row[1] in files:
            query = f"samples/judged/met/query.{files[row[1]]}.rq samples/judged/met/doors.nq"
            assert run(f"lars solve {query} --as {snippets(row[0])[0]} --until 20", tmp_path)[0] == 0


def test_the_formats_of_answers_are_those_that_are_accepted(tmp_path):
    copied(tmp_path)
    named = {name for row in ANSWERS for name in snippets(row[0])}
    given = "samples/judged/met/query.cqels.rq samples/judged/met/doors.nq"
    answers = "samples/judged/met/answers.cqels.ndjson --answers-format nothing"
    code, out = run(f"lars judge {given} --answers {answers}", tmp_path)
    assert code == 2
    assert set(re.findall(r"[a-z-]+", out.partition("is not one of")[2].partition(";")[0])) == named, out


def test_answers_in_csv_tsv_and_json_are_judged_alike(tmp_path):
    copied(tmp_path)
    given = "samples/judged/met/query.cqels.rq samples/judged/met/doors.nq"
    heads = {
        "csv": "time,one,other,room\n5,{0}ann,{0}bob,{0}hall\n",
        "tsv": "?time\t?one\t?other\t?room\n5\t<{0}ann>\t<{0}bob>\t<{0}hall>\n",
    }
    found = {}
    for name, text in heads.items():
        (tmp_path / f"a.{name}").write_text(text.format("http://example.org/"), encoding="utf-8")
        found[name] = run(f"lars judge {given} --answers a.{name} --time-variable time --until 5", tmp_path)
    assert {code for code, _ in found.values()} == {0}, found


def test_static_data_that_vary_in_time_are_named_as_is_shown(tmp_path):
    copied(tmp_path)
    (options,) = re.findall(r"`(--static-at .*?)`", PAGES["agreement/manual/judge.md"])
    for name in re.findall(r"=([\w.]+)", options):
        (tmp_path / name).write_text("<e:a> <e:p> <e:b> .", encoding="utf-8")
    given = "samples/judged/met/query.csparql.rq samples/judged/met/doors.nq --answers-unit 1ms"
    answers = "samples/judged/met/answers.csparql.ndjson"
    code, out = run(f"lars judge {given} --answers {answers} {options}", tmp_path)
    assert code in (0, 1), out


def test_the_specification_that_is_shown_has_fields_that_are_explained():
    shown = tomllib.loads(block("agreement/manual/judge.md", "toml", 'name = "mine"'))
    explained = set(re.findall(r"^(\w+) \(", run("lars judge --fields", ROOT)[1], re.MULTILINE))
    assert set(shown) <= explained


def test_the_built_in_specifications_are_those_that_are_named():
    text = PAGES["agreement/manual/judge.md"].replace("\n", " ")
    (named,) = re.findall(r"The specifications (.*?) are built in", text)
    assert sorted(snippets(named)) == sorted(
        re.findall(r"# (\w+)\.toml", run("lars judge --fields", ROOT)[1])
    )


def test_the_experiment_runs_again_from_what_it_has_written(tmp_path):
    copied(tmp_path)
    (part,) = (b for b in BLOCKS["agreement/manual/experiments.md"] if b.note == "lengths/experiment.toml")
    (tmp_path / "lengths").mkdir()
    (tmp_path / part.note).write_text(part.text.replace("[5, 10, 15]", "[5]"), encoding="utf-8")
    first, second = (run("lars run lengths", tmp_path) for _ in range(2))
    assert first == second
    assert {path.suffix for path in (tmp_path / "lengths" / "results").iterdir()} >= {
        ".parquet",
        ".csv",
        ".txt",
    }


def test_a_packed_experiment_has_the_files_of_the_table(tmp_path):
    named = [
        name
        for row in rows("agreement/manual/experiments.md", "| file | contents |")
        for name in snippets(row[0])
    ]
    api.pack(ROOT / "samples/slide", out=tmp_path / "packed")
    written = {path.name for path in (tmp_path / "packed").iterdir()}
    assert written - set(named) == {"door.trig", "query.cqels.rq", "query.csparql.rq"}
    assert set(named) <= written


def test_each_command_that_writes_test_cases_has_its_row():
    named = rows("agreement/manual/continuous-integration.md", "| command | test case | fails if |")
    written = {name for name, about in DECLARED.items() if "junit" in about.outputs}
    assert {snippets(row[0])[0].split()[1] for row in named} == written


ROWS = api.AgreementDifference, api.AnswerAt


def test_each_result_has_what_its_row_says():
    names = {name: get_type_hints(getattr(api, name))["return"] for (name,) in map(snippets, firsts(RESULTS))}
    assert sorted(names) == sorted(one for one in api.__all__ if inspect.isfunction(getattr(api, one)))
    for row in RESULTS:
        answer = names[snippets(row[0])[0]]
        has = [name for one in (*(get_args(answer) or (answer,)), *ROWS) for name in dir(one)]
        assert [said for said in snippets(row[1]) if said not in has and said not in names] == []


def test_each_form_of_an_element_is_read():
    query = "SELECT ?s { STREAM <http://e/S> [RANGE 9s] { ?s ?p ?o } }"
    graph = Graph().add((URIRef("http://e/ann"), URIRef("http://e/in"), URIRef("http://e/hall")))
    for first, content in ELEMENTS:
        element = eval(snippets(first)[0], {"URIRef": URIRef, "graph": graph})
        asked = "hot(R) ← temp(R, V)." if "LARS program" in content else query
        row = isinstance(element, dict)
        columns = {"t": "{time}", "s": "<http://e/kitchen>", "http://e/temp": "{temp}"} if row else None
        answers = api.solve(asked, [element], column=columns).answers
        shown = [str(answer) for answer in answers if answer.t == 1]
        assert any("ann" in text or "kitchen" in text for text in shown), first


def firsts(table):
    return [row[0] for row in table]


def test_each_command_with_a_page_says_so():
    named = {name for (first, _) in SHOWN for name in snippets(first)}
    assert named == {name for name, command in DECLARED.items() if "report" in command.outputs}


def test_the_messages_are_those_of_the_protocol():
    messages = [json.loads(snippets(row[0])[0]) for row in MESSAGES]
    assert [message["op"] for message in messages] == [*REPLIES]
    for row, message in zip(MESSAGES, messages, strict=True):
        REQUEST.validate_python(message)
        REPLIES[message["op"]].model_validate_json(snippets(row[1])[0])


def test_the_keys_are_those_of_an_adapter():
    assert [snippets(row[0])[0] for row in PROFILE_KEYS] == [*ProfileReply.model_fields][1:]


def test_the_options_are_those_of_served_engines():
    assert [snippets(row[0])[0] for row in SERVED] == [*BuiltInOptions.model_fields]


def test_the_adapter_in_the_manual_has_forty_lines():
    (adapter,) = (part for part in BLOCKS["agreement/manual/adapters.md"] if part.note == "adapter.py")
    assert len([line for line in adapter.text.splitlines() if line]) <= 40


def test_the_suite_writes_as_many_tests_as_it_has_streams():
    assert f"writes {len(chosen_streams())} tests" in PAGES["agreement/manual/suite.md"]


def test_the_outcomes_of_a_measured_engine_are_all_tests():
    measured = rows(
        "agreement/manual/suite.md", "| engine | passed | failed | not asked | refused | parameters |"
    )
    page = (ROOT / "agreement/manual/suite.md").read_text(encoding="utf-8")
    sentence = page.partition("rsp-js and rsp-rs did not run on ")[2].partition(".")[0]
    lacking = len(snippets(sentence))
    for row in measured:
        missing = lacking * row[0].startswith(("rsp-js", "rsp-rs"))
        assert sum(map(int, row[1:5])) + missing == len(chosen_streams()), row[0]


IN_QUERY = {
    "CQELS 2": "PREFIX : <http://e/> SELECT ?a {{ STREAM s {} {{ ?a :p ?b }} }}",
    "SPARQLstream": (
        "PREFIX : <http://e/> SELECT RSTREAM ?a FROM NAMED STREAM <http://e/s> {} WHERE {{ ?a :p ?b }}"
    ),
    "Janus": (
        "PREFIX : <http://e/> REGISTER RStream :o AS SELECT ?a FROM NAMED WINDOW :w ON LOG <http://e/s> {} "
        "WHERE {{ WINDOW :w {{ ?a :p ?b }} }}"
    ),
}


@pytest.mark.parametrize("row", DUE, ids=lambda row: row[0])
def test_each_window_is_due_when_its_row_says(row, tmp_path):
    """Content and due time by `lars solve --as rspql`, with one element at each time point from 0 to 30."""
    window, language = re.fullmatch(r"`(?:ON LOG <s> )?([^`]+)` of (.+)", row[0]).groups()
    (tmp_path / "q.rq").write_text(IN_QUERY[language].format(window))
    (tmp_path / "t.csv").write_text(
        "t,s,p,o\n" + "".join(f"{t},http://e/a{t},http://e/p,http://e/b\n" for t in range(31))
    )
    stream = "s" if language == "CQELS 2" else "http://e/s"
    asked = f"lars solve q.rq --stream {stream}=t.csv --as rspql --unit 1s --until 30 --json"
    code, out = run(asked, tmp_path)
    assert code == 0, out
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    came = {one["t"]: {int(row["a"]["value"].rpartition("/a")[2]) for row in one["rows"]} for one in lines}
    assert len(came) >= (1 if "START" in window else 3)
    low_end, low, high, high_end = re.match(
        r"([\[(])?(?:from )?(t?[−+]?\d*)(?:, | to )(t?[−+]?\d*)([\])])?", row[1]
    ).groups()
    lead = int(re.match(r"t(?:\+(\d+))?|the", row[2]).group(1) or 0)
    for due, inside in came.items():
        first, last = (_time(text, due - lead) for text in (low, high))
        assert {t for t in range(31) if first < t < last} <= inside <= set(range(first, last + 1))
        for end, t in ((low_end, first), (high_end, last)):
            if end is not None and 0 <= t <= 30:
                assert (t in inside) == (end in "[]")


def _time(text, reference):
    """Return the time point of a text such as t−5 at the reference time t, or of a number."""
    count = int(text.removeprefix("t").replace("−", "-") or 0)
    return reference + count if text.startswith("t") else count


def test_the_limits_of_the_playground_are_those_of_its_server():
    from agreement.results.playground import playing, server, texts

    (seconds,) = (one.default for one in answering(playing.play).options if one.name == "time_limit")
    values = {
        "time of an evaluation": f"{seconds:g} s",
        "memory of an evaluation": f"{playing._MOST_MEMORY >> 30}G",
        "all files together": f"{texts.MOST_LETTERS:,} characters",
        "a request": f"{server.MOST_BYTES >> 20} MiB",
        "evaluations that wait": f"{server.MOST_WAITING};",
    }
    assert [row[0] for row in PLAY_LIMITS] == [*values]
    assert [row for row in PLAY_LIMITS if values[row[0]] not in row[1]] == []


HOSTILE = {
    "paths in": (
        "a query above",
        "a trace of the computer",
        "a trace that is a link",
        "static data of an engine",
    ),
    "a folder": ("a folder of traces", "a trace that is a device", "static data compressed"),
    "`engine`": ("an adapter", "an adapter beside the comparison"),
    "`FROM`": ("FROM", "SERVICE", "BASE"),
    "`@context`": ("a trace with a remote context",),
    "entities": ("a trace with an entity",),
}


def test_each_reference_that_the_playground_does_not_follow_is_tried():
    from tests.agreement.results.playground.test_hostile import GRAPHS, REFERENCES

    assert [next((one for one in HOSTILE if row[0].startswith(one)), None) for row in PLAY_REFERENCES] == [
        *HOSTILE
    ]
    assert {name for names in HOSTILE.values() for name in names} <= {*GRAPHS, *REFERENCES}


def test_watch_writes_the_tables_that_its_page_lists(tmp_path):
    (tmp_path / "in").mkdir()
    folders = {
        "source": str(tmp_path / "in"),
        "checkpoint": str(tmp_path / "kept"),
        "out": str(tmp_path / "out"),
    }
    slide = ROOT / "samples" / "slide"
    (tmp_path / "log.csv").write_text("t,x\n")
    logs = {"push_answers": str(tmp_path / "log.csv")}
    watch(str(slide), **folders, **logs).judge_batch(0, [slide / "door.trig"])
    listed = [row[0].strip("`") for row in rows("agreement/manual/watch.md", "| table | rows |")]
    assert sorted(listed) == sorted(path.stem for path in (tmp_path / "out").iterdir())


def test_the_page_on_watching_lists_the_rules_that_are_tried():
    late = {("late_striple", 4): InputAtoms(np.zeros(1, np.int64), np.zeros(1, np.int64), ())}
    columns = TraceColumns(TermCodes(), late, 0)
    tried = PeriodSemantics(None, Setting(), {}, {}, columns, 9, None, 5, new=False, wait=5)
    names = [
        name for side, starts in (("pull", [1]), ("push", [])) for name, _ in tried.rules(side, starts)[0]
    ]
    letters = {"bounds": "B", "t0": "N", "trigger": "T"}
    general = {
        re.sub(r"(bounds|t0|trigger) = .*", lambda rule: f"{rule[1]} = {letters[rule[1]]}", n) for n in names
    }
    listed = [
        name for row in rows("agreement/manual/watch.md", "| rule | meaning |") for name in snippets(row[0])
    ]
    assert sorted(listed) == sorted(general)


def test_the_table_of_growth_has_each_query_of_the_benchmark_and_the_exponents_of_its_own_times():
    table = rows(
        "agreement/manual/troubleshooting.md", "| query | 80 per second | 320 | 1,280 | memory | exponent |"
    )
    assert [name.replace("`", "") for name, *_ in table] == [*GROWING]
    start = float(re.search(r"The start takes ([0-9.]+) s", PAGES["agreement/manual/troubleshooting.md"])[1])
    for name, *times, memory, exponent in table:
        seconds = [float(time.removesuffix(" s")) for time in times]
        before, last = (max(0.1, each - start) for each in seconds[1:])
        # The times are rounded to hundredths of a second.
        least, most = (log((last + e) / (before - e)) / log(4) for e in (-0.01, 0.01))
        assert least - 0.06 <= float(exponent) <= most + 0.06, name
        assert float(exponent) < SQUARE
        assert int(memory.removesuffix(" MB")) <= MOST_MEMORY
