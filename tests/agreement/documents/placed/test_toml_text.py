"""Places in TOML: every key and item that is read has one, and what is written there is it."""

import tomllib

import pytest

from agreement.documents.placed import read_toml, scanned
from agreement.experiments.schema import texts
from lars.errors import PlacedError
from tests.packs import SAMPLES

ODD = """a . "b c" = [ # a comment with ] and "
  'one', {two = "th]ree", four.five = '''s
ix'''},
]
[[t]]
x = 1979-05-27 07:32:00 # a date
[t.sub]
"k\\u0041" = "v"
[[t]]
[[t.list]]
y = \"\"\"z\"\"\"
"""


def everything(content, path=()):
    yield path
    parts = ()
    if isinstance(content, dict):
        parts = content.items()
    elif isinstance(content, list):
        parts = enumerate(content)
    for key, one in parts:
        yield from everything(one, (*path, key))


@pytest.mark.parametrize("text", [ODD, *(file.read_text() for file in sorted(SAMPLES.rglob("*.toml")))])
def test_every_path_has_a_place(text):
    found = scanned(text, 0, len(text), "TOML").spots
    assert [path for path in everything(tomllib.loads(text)) if path and path not in found] == []


@pytest.mark.parametrize("file", sorted(SAMPLES.rglob("*.toml")), ids=lambda file: file.parent.name)
def test_what_stands_at_the_place_of_a_text_is_the_text(file):
    text = file.read_text()
    found = scanned(text, 0, len(text), "TOML").spots
    for path, value in texts(tomllib.loads(text)):
        key, start, _ = found[path]
        assert value in text[key if path[-1] == value else start :][: len(value) + 3]


@pytest.mark.parametrize("text", ["{} = 1", "x = {{{} = 1}}", "[{}]", "[[{}]]"])
def test_a_key_of_very_many_parts_is_refused_at_once(tmp_path, text):
    path = tmp_path / "a.toml"
    path.write_text(f"a = 1\n{text.format('.'.join(['b'] * 50_000))}\n")
    with pytest.raises(PlacedError, match=r"a.toml:2:\d: the key has more than 100 parts"):
        read_toml(path, "TOML")
    path.write_text(text.format(".".join("b" * 100)))
    read_toml(path, "TOML")
