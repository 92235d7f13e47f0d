"""Changes of a text that change nothing, or swap the branches of UNION, on our own queries and real ones."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import pairwise

import pytest

from lars.language.terms import Variable
from tests.translate.dialects.own_queries import OWN_QUERIES, SOURCES, W3C, readable
from translate.analysis import parts, rebuild
from translate.dialects import read_query
from translate.model.patterns import Union
from translate.sparql import tokenize
from translate.writing import write_query
from translate.writing.expression_text import CannotSayError


def respelled(text, change, between=lambda gap: gap):
    """Return the text with every token, and what stands before each, changed."""
    document, end, pieces = tokenize(text, ""), 0, []
    for token in document.tokens:
        pieces += [between(document.text[end : token.start]), change(token)]
        end = token.end
    return "".join(pieces)


def renamed(value, names):
    """Return the value with each variable that has a new name renamed, wherever it stands."""
    if isinstance(value, Variable):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(renamed(one, names) for one in value)
    if not is_dataclass(value) or isinstance(value, Enum):
        return value
    return replace(value, **{one.name: renamed(getattr(value, one.name), names) for one in fields(value)})


@pytest.mark.parametrize("source", SOURCES)
def test_renaming_variables_renames_them_in_the_model(source):
    for name, text, query in readable(source):
        words = {token.text[1:] for token in tokenize(text, "").tokens if token.kind == "a variable"}
        names = {Variable(word): Variable(f"v_{word}") for word in words}
        changed = respelled(
            text, lambda token: f"?v_{token.text[1:]}" if token.kind == "a variable" else token.text
        )
        fresh = any(word.startswith("_") for word in words) or "is read as the name" in str(query.notes)
        read = replace(read_query(changed, name, query.language), name=query.name)
        assert fresh or (name, read) == (name, renamed(query, names))


@pytest.mark.parametrize("source", SOURCES)
def test_renaming_prefixes_changes_nothing(source):
    for name, text, query in readable(source):
        tokens = tokenize(text, "").tokens
        declared = {after.text for token, after in pairwise(tokens) if token.is_word("PREFIX")}

        def change(token, declared=declared):
            known = token.kind == "a prefixed name" and f"{token.text.split(':')[0]}:" in declared
            return f"q{token.text}" if known else token.text

        same = replace(read_query(respelled(text, change), name, query.language), name=query.name)
        assert (name, same) == (name, query)


@pytest.mark.parametrize("source", SOURCES)
def test_comments_and_white_space_change_nothing(source):
    odd = "\t# SELECT ?x { } UNION 'a\r\n \n#\n"
    for name, text, query in readable(source):
        changed = respelled(text, lambda token: token.text, lambda gap: gap and odd)
        assert (name, read_query(odd + changed + odd, name, query.language)) == (name, query)


def nested(text):
    """Return the text as tokens, and as lists from each { to its }."""
    document, stack = tokenize(text, ""), [[]]
    for token, following in pairwise(document.tokens):
        piece = document.text[token.start : following.start]
        if token.is_word("{"):
            stack.append([piece])
        elif token.is_word("}"):
            stack[-1].append(piece)
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(piece)
    return document.text[: document.tokens[0].start], stack[0]


def exchanged(pieces):
    """Return a nested text as text, with the branches around each UNION exchanged."""
    if isinstance(pieces, str):
        return pieces
    found = [exchanged(piece) for piece in pieces]
    for index, piece in enumerate(pieces):
        if isinstance(piece, str) and piece.strip().upper() == "UNION":
            found[index - 1], found[index + 1] = found[index + 1], found[index - 1]
    return "".join(found)


def swapped(pattern):
    def change(part):
        return Union(swapped(part.right), swapped(part.left)) if isinstance(part, Union) else None

    return rebuild(pattern, change)


def exchanges(query):
    """Whether the query has a UNION, of two branches each, and no names that are numbered by place."""
    unions = [part for part in parts(query.pattern) if isinstance(part, Union)]
    return (
        bool(unions) and not any(isinstance(part.left, Union) for part in unions) and "?_" not in str(unions)
    )


@pytest.mark.parametrize("source", [*OWN_QUERIES, W3C])
def test_exchanging_the_branches_of_union_exchanges_them_in_the_model(source):
    queries = [(name, text, query) for name, text, query in readable(source) if exchanges(query)]
    for name, text, query in queries:
        before, pieces = nested(text)
        read = read_query(before + exchanged(pieces), name, query.language)
        assert (name, read.pattern) == (name, swapped(query.pattern))
    assert queries


@pytest.mark.parametrize("source", SOURCES)
def test_exchanged_branches_are_written_and_read_back(source):
    for name, _, query in readable(source):
        changed = replace(query, pattern=swapped(query.pattern))
        try:
            text = write_query(changed, query.language)
        except CannotSayError:
            continue
        read = read_query(text, name, query.language)
        numbered = "?_" in str(list(map(str, parts(query.pattern))))
        assert numbered or (name, read) == (name, changed)
