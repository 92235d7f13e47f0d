"""Each row of the tables about agreement and judging: causes, keys, engines, formats."""

import inspect
import json
import re
import tomllib
from typing import get_args, get_type_hints

from agreement import api
from agreement.cli.commands import COMMANDS as DECLARED
from agreement.comparing.agree.sides import CAUSES as ROW_CAUSES
from agreement.engines.adapters import ProfileReply
from agreement.engines.adapters.built_in import BuiltInOptions
from agreement.engines.adapters.messages import REPLIES, REQUEST
from agreement.engines.registry import ENGINES
from agreement.proving.suite.suite_tests import chosen_streams
from tests.manuals.pages import BLOCKS, PAGES, ROOT, block, rows, snippets
from tests.manuals.running import copied, run

INDEX = rows("agreement/README.md", "| page | contents |")
COMMANDS = rows("README.md", "| command | result | manual |")
TABLES = rows("agreement/manual/tables.md", "| command | table | has a row for each |")
CAUSES = rows("README.md", "| cause | why only one side reports the row |")
KEYS = rows("agreement/manual/experiments.md", "| key | meaning |")
ENGINE_KEYS = rows("agreement/manual/experiments.md", "| key of `[[engines]]` | meaning |")
ANSWERS = rows("agreement/manual/judge.md", "| `--answers-format` | contents |")
SHOWN = rows("agreement/manual/reports.md", "| report of | contents |")
RESULTS = rows("agreement/manual/python.md", "| result of | attributes |")
MESSAGES = rows("agreement/manual/adapters.md", "| message | reply |")
PROFILE_KEYS = rows("agreement/manual/adapters.md", "| key of the reply to `open` | meaning [default] |")
SERVED = rows("agreement/manual/adapters.md", "| option of `lars serve-engine` | meaning |")
VERSIONS = rows("agreement/manual/judge.md", "| engine version | language | engine |")


def test_each_command_has_its_row():
    named = [snippets(row[0])[0].removeprefix("lars ") for row in COMMANDS]
    shown = re.findall(r"^  ([a-z][a-z-]*)  ", run("lars --help", ROOT)[1], re.MULTILINE)
    assert sorted(named) == sorted(shown)


def test_the_index_names_each_page():
    named = {name for row in INDEX for name in re.findall(r"manual/([\w-]+)\.md", row[0])}
    assert len(named) == len(INDEX) == 13


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
        assert sorted(key for row in table for key in snippets(row[0])) == sorted(told["properties"])


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
    (named,) = re.findall(r"as data\. (.*?) are built in", PAGES["agreement/manual/judge.md"])
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
        "agreement/manual/suite.md", "| engine | passed | failed | not asked | refused | vector |"
    )
    assert {sum(map(int, row[1:5])) for row in measured} == {len(chosen_streams())}
