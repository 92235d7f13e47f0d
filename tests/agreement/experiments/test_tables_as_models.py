"""Tables of an experiment are read as the models of pydantic that describe them would read them."""

import random
import tomllib

import pytest
from pydantic import BaseModel

from agreement.documents.placed import PlacedData, checked_at
from agreement.experiments import schema
from lars.errors import LarsError

LINES = {
    schema.ExperimentFile: (
        *('title = "doors"', "title = 5", 'unit = "1s"', 'unit = "s"', "unit = 1", 'base = "e:b"'),
        *('rdf = "1.2"', 'rdf = "9"', 'static = "a.ttl"', 'static = ["a.ttl", 5]', "static = []"),
        *('cqels = "q.rq"', "cqels = {text = 'SELECT'}", "cqels = 5", 'csparql = ""', 'cqles = "q.rq"'),
        *('files = "t.nq"', "files = {}", 'streams = {"e:s" = "t.nq"}', "streams = {s = 1}", "sort = 1"),
        *("period = 5", 'period = "1..9"', "period = 0", "timeline = [0, 9]", "timeline = [9]", "grid = 1"),
        *(
            "generate = 5",
            "generate = {stations = 5}",
            "generate = {stations = 5.5}",
            "generate = {cars = 1}",
        ),
        *("generate = {seed = [1], cars = 2, streams = true}", 'profile = "sparql11"', 'profile = "other"'),
        *("[grid]", "n = [1, 2]", "[[queries]]", "[[traces]]", "queries = 7", "comparisons = [1]"),
    ),
    schema.TraceTable: (
        *(
            'name = "a"',
            "name = 5",
            "name = true",
            "name = []",
            'files = ["t.nq"]',
            "files = [1]",
            "origin = 5",
        ),
        *("origin = 2020-01-01T00:00:00Z", 'origin = "2020"', 'null = "-"', "null = 5", "columns = {t = 5}"),
        *('columns = {t = "when"}', 'prefixes = {a = "e:"}', "prefixes = {a = 1}", 'arrival = "order"'),
        *("generate = {}", 'generate = {kind = "a"}', 'generate = {unkown = "1s", stations = "many"}'),
    ),
    schema.EngineTable: (
        *('name = "a"', 'engine = "cqels"', "engine = []", 'off = "a"', "off = [1]", "options = {a = 1}"),
        *("t0 = 5", 't0 = "0..4"', "t0 = [true]", "tolerance = 0.5", "tolerance = 2", "gracious = true"),
        *('bounds = ["open"]', 'bounds = "half"', 'early = "5ms"', "early = 5", 'language = "cqels"'),
        *('language = "sql"', "registered = 2020-01-01", "until = -1", 'queries = ["a"]', "queries = {}"),
    ),
    schema.ComparisonTable: (
        *("queries = []", 'traces = "t"', "on = 5", 'on = "?a,?b"', 'on = "a b"', "assign = {}"),
        *('assign = {"e:s" = "e:p"}', 'assign = {"e:s" = ["e:p"]}', "assign = {s = 5}", 'trigger = "all"'),
        *('trigger = "any"', 'bounds = "closed"', 'period = ["1s", 5]', 'period = ["1s", "2s"]'),
    ),
}


def outcome(read, *arguments):
    """Return the values of a table's keys, or the message."""
    try:
        return plain(read(*arguments))
    except LarsError as error:
        return str(error)


def plain(table):
    """Return the values of a table, tables in it too; the values of a model make its table."""
    if isinstance(table, BaseModel):
        kind = getattr(schema, type(table).__name__)
        table = schema._made(kind, {key: getattr(table, key) for key in table.model_fields_set})
    return {
        key: plain(value) if isinstance(value, schema.Table | BaseModel) else value
        for key, value in vars(table).items()
    }


@pytest.mark.parametrize("table", LINES)
def test_a_table_is_read_as_its_model_reads_it(table):
    model, drawn, said = schema._as_model(table, {}), random.Random(11), set()
    for _ in range(400):
        lines = drawn.sample(LINES[table], drawn.randint(0, 4))
        text = "\n".join(sorted(lines, key=lambda line: line.startswith("[")))
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError:  # a key twice
            continue
        toml = PlacedData("e.toml", text, 0, len(text), content, "", "TOML")
        read = outcome(schema.read_table, table, toml, (), content)
        assert read == outcome(checked_at, model, toml, (), content), text
        said.add(read if isinstance(read, str) else "read")
    assert len(said) > 8
    assert "read" in said
