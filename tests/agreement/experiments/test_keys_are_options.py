"""A key of an experiment that is an option of a command, too, is declared as that option is."""

from dataclasses import MISSING

import pytest

from agreement.documents.options import declared, members
from agreement.documents.requests.groups import InputOptions
from agreement.documents.requests.readers import in_toml
from agreement.experiments.schema import (
    ComparisonTable,
    EngineTable,
    ExperimentFile,
    GenerateTable,
    TraceTable,
    keys_of,
    reading_of,
)
from agreement.results.agreements.agreeing import AgreeRequest
from agreement.results.files.generated import GenerateRequest
from agreement.results.judgements import JudgeRequest
from lars.options import choices_of

PAIRS = [(ComparisonTable, AgreeRequest), (TraceTable, InputOptions), (EngineTable, JudgeRequest)]
UNLIKE = {"static", "streams", "period"}
"""Keys whose values are written otherwise than on a command line."""
WRITTEN_OTHERWISE = {"static", "engine", "early", "bounds", "answers"}
"""Keys of which a file has another form."""


def options(request):
    return {one.name.rstrip("_"): one for one in declared(request)}


def choices(key):
    """Return the enumeration that a key's reader takes, as its schema says it."""
    reading, _ = reading_of(key)
    written = () if isinstance(reading, type) else reading[1:]
    return next((tuple(words) for one in (*written, key.type) if (words := choices_of(one))), ())


@pytest.mark.parametrize(
    ("table", "key", "option"),
    [
        (table, key, options(request)[key])
        for table, request in PAIRS
        for key in keys_of(table)
        if key in options(request) and key not in UNLIKE
    ],
)
def test_a_key_takes_what_the_option_takes(table, key, option):
    field = keys_of(table)[key]
    assert choices(field) in (option.choices, ())
    default = option.plain_default
    assert field.default in (default, option.default, None, MISSING) or default is None


def test_the_keys_of_a_made_up_stream_are_the_options_of_generate():
    expected = members(members(GenerateRequest)["stream"])
    assert keys_of(GenerateTable).keys() == expected.keys()
    for key, field in keys_of(GenerateTable).items():
        assert field.default == expected[key].plain_default


@pytest.mark.parametrize("table", [ExperimentFile, TraceTable, EngineTable, ComparisonTable])
def test_a_key_that_is_an_option_is_read_by_the_reader_of_the_option(table):
    known = {one.name: one for group in (JudgeRequest, InputOptions, AgreeRequest) for one in declared(group)}
    names = {"prefixes": "prefix", "columns": "column"}
    shared = 0
    for key, field in keys_of(table).items():
        one = known.get(names.get(key, key))
        reading, _ = reading_of(field)
        readers = [] if isinstance(reading, type) else [reading[0]]
        if one is not None and key not in WRITTEN_OTHERWISE:
            shared += 1
            assert [getattr(reader, "func", reader) for reader in readers] == [in_toml], key
            assert readers[0].args[0].read == one.read
    assert shared > 2
