"""Cases as files: what was asked, pushed and reported, for readers and for `read_case`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from agreement.documents.recordings.case import CaseFile
from lars.files import replacement_path

CaseContent = Mapping[str, object]
"""A case as its file has it: keys of CaseFile."""


def write_case(path: Path, content: CaseContent) -> None:
    """Write a case, whole or not at all; a push and a report are a line each."""
    with replacement_path(path) as place:
        place.write_text(case_text(content), encoding="utf-8")


def case_text(content: CaseContent) -> str:
    """Return the text of a case's file; what says no more than the default is left out.

    >>> print(case_text({"id": "e/1", "engine": "e", "mode": "", "family": "", "query": "Q", "output": []}))
    {
     "id": "e/1",
     "engine": "e",
     "mode": "",
     "family": "",
     "query": "Q",
     "output": []
    }
    """
    CaseFile.model_validate(content)
    said = {
        name: content[name]
        for name, field in CaseFile.model_fields.items()
        if name in content
        if field.is_required() or content[name] != field.get_default(call_default_factory=True)
    }
    return "{\n" + ",\n".join(_entries(said)) + "\n}\n"


def _entries(found: Mapping[str, object]) -> Iterator[str]:
    for name, value in found.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"  {_json(one)}" for one in value)
            yield f" {_json(name)}: [\n{lines}\n ]"
        else:
            yield f" {_json(name)}: {_json(value)}"


def _json(value: object) -> str:
    return json.dumps(_whole(value), ensure_ascii=False)


def _whole(value: object) -> object:
    """Return a value with times that are whole numbers as such."""
    match value:
        case float() if value == int(value):
            return int(value)
        case dict():
            return {name: _whole(one) for name, one in value.items() if one is not None}
        case list() | tuple():
            return [_whole(one) for one in value]
        case _:
            return value
