"""What is wrong in JSON is said where it is."""

import pytest

from agreement.documents.placed import json_of
from lars.errors import LarsError
from lars.files import TextFile


def test_brackets_inside_a_text_are_no_lists_even_where_it_is_broken():
    text = "[" * 60 + '"' + "[" * 60 + "\\["
    with pytest.raises(LarsError, match=r"invalid \\escape"):
        json_of(TextFile("answers.json", text), "a list")


def test_what_is_too_deep_is_said_before_what_is_broken_behind_it():
    with pytest.raises(LarsError, match="nested too deeply; expected at most 100"):
        json_of(TextFile("answers.json", "[" * 200 + "}"), "a list")
