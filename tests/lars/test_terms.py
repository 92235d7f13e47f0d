"""Terms as text: what cannot be seen is escaped."""

import pytest

from lars.language.terms import Iri, Literal, write_name

UNSEEN = {"\x00": "\\u0000", "\x1f": "\\u001F", "\x7f": "\\u007F", "\n": "\\n", "\\": "\\\\"}


@pytest.mark.parametrize("character", UNSEEN)
def test_control_characters_are_escaped_in_literals_and_names(character):
    escaped = UNSEEN[character]
    assert str(Literal(f"a{character}b")) == f'"a{escaped}b"'
    assert write_name(f"a{character}b") == f"'a{escaped}b'"


def test_what_no_iri_holds_is_escaped():
    assert str(Iri("urn:a b>")) == "<urn:a\\u0020b\\u003E>"
