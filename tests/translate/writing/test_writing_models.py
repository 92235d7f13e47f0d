"""Random query models: each is written in its language and read back as it was."""

from dataclasses import replace

from hypothesis import event, given

from lars.language.formulas import Call
from lars.language.terms import Literal
from tests.solver.strategies import part_of
from tests.translate.writing.writing_strategies import queries
from translate.analysis import rewriting
from translate.dialects import read_query
from translate.model.patterns import EMPTY, Extend, Join
from translate.writing import write_query


def normal(pattern):
    """Return the pattern with its EXISTS in the place of their names, and no joins with nothing."""

    def change(part):
        if found := rewriting.tests_of(part):
            texts = {test.variable: Literal(repr(normal(test.pattern))) for test in found}
            return normal(replace(shown(part, texts), exists=()))
        if isinstance(part, Join):
            left, right = normal(part.left), normal(part.right)
            return right if left == EMPTY else left if right == EMPTY else Join(left, right)
        return None

    return rewriting.rebuild(pattern, change)


def shown(part, texts):
    """Return a filter, extension or optional with texts for variables in its expression."""
    name = "expression" if isinstance(part, Extend) else "condition"
    return replace(part, **{name: substituted(getattr(part, name), texts)})


def substituted(expression, texts):
    if isinstance(expression, Call):
        return Call(expression.function, tuple(substituted(one, texts) for one in expression.arguments))
    return texts.get(expression, expression)


@part_of(0.4)
@given(queries())
def test_what_is_written_is_read_as_it_was(query):
    text = write_query(query, query.language)
    read = read_query(text, "q.rq", query.language)
    event(query.language.value)
    seen = read.result if query.form in ("CONSTRUCT", "DESCRIBE") else query.result
    same = replace(query, result=seen, pattern=normal(query.pattern))
    assert replace(read, pattern=normal(read.pattern)) == same


@part_of(0.4)
@given(queries())
def test_what_is_read_back_stays_as_it_is(query):
    read = read_query(write_query(query, query.language), "q.rq", query.language)
    again = write_query(read, query.language)
    assert read_query(again, "q.rq", query.language) == read
