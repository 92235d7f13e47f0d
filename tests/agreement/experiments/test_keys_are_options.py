"""A key of an experiment that is an option of a command, too, is declared as that option is."""

import pytest

from agreement.documents.options import declared, members
from agreement.documents.requests.groups import InputOptions
from agreement.experiments.schema import ComparisonKeys, EngineTable, GenerateTable, TraceKeys
from agreement.results.agreements.agreeing import AgreeRequest
from agreement.results.files.generated import GenerateRequest
from agreement.results.judgements import JudgeRequest
from lars.options import choices_of

PAIRS = [(ComparisonKeys, AgreeRequest), (TraceKeys, InputOptions), (EngineTable, JudgeRequest)]
UNLIKE = {"static", "streams", "period"}
"""Keys whose values are written otherwise than on a command line."""


def options(request):
    return {one.name.rstrip("_"): one for one in declared(request)}


def choices(annotation, metadata):
    """Return the enumeration that a key's reader takes, as its schema says it."""
    found = [one.json_schema_input_type for one in metadata if hasattr(one, "json_schema_input_type")]
    return next((tuple(words) for one in (*found, annotation) if (words := choices_of(one))), ())


@pytest.mark.parametrize(
    ("table", "key", "option"),
    [
        (table, key, options(request)[key])
        for table, request in PAIRS
        for key in table.model_fields
        if key in options(request) and key not in UNLIKE
    ],
)
def test_a_key_takes_what_the_option_takes(table, key, option):
    field = table.model_fields[key]
    assert choices(field.annotation, field.metadata) in (option.choices, ())
    default = option.plain_default
    assert field.default in (default, option.default, None) or default is None


def test_the_keys_of_a_made_up_stream_are_the_options_of_generate():
    expected = members(members(GenerateRequest)["stream"])
    assert GenerateTable.model_fields.keys() == expected.keys()
    for key, field in GenerateTable.model_fields.items():
        assert field.default in (expected[key].default, str(expected[key].default))
