"""Expressions, aggregates and paths as SPARQL text, with no more brackets than reading needs."""

import re
from collections.abc import Mapping
from typing import Final, assert_never

from lars.language.formulas import Aggregation, Call, Expression
from lars.language.terms import Iri, Literal, Variable
from translate.algebra import TIMESTAMP
from translate.model.patterns import Alternative, Inverse, Link, NegatedSet, Path, PathSequence, RepeatedPath
from translate.model.query import Language
from translate.writing.term_text import CannotSayError, Terms

_ALTERNATIVE: Final = 1
_SEQUENCE: Final = 2
_INVERSE: Final = 3
_REPEATED: Final = 4
_STEP: Final = 5


def write_path(path: Path, terms: Terms, around: int = 0) -> str:
    """Return the path, in brackets if it binds less than what stands around it.

    A repetition of a repetition has brackets, since `*` follows a step; `^` stands before both.
    """
    binding, text = _written(path, terms)
    return f"({text})" if binding < around else text


def _written(path: Path, terms: Terms) -> tuple[int, str]:
    match path:
        case Link(iri):
            return _STEP, terms.iri(iri)
        case Alternative(left, right):
            before = write_path(left, terms, _ALTERNATIVE)
            return _ALTERNATIVE, f"{before}|{write_path(right, terms, _SEQUENCE)}"
        case PathSequence(left, right):
            before = write_path(left, terms, _SEQUENCE)
            return _SEQUENCE, f"{before}/{write_path(right, terms, _INVERSE)}"
        case Inverse(inner):
            return _INVERSE, f"^{write_path(inner, terms, _REPEATED)}"
        case RepeatedPath(inner, often):
            return _REPEATED, f"{write_path(inner, terms, _STEP)}{often.value}"
        case NegatedSet(forward, backward):
            names = (*map(terms.iri, forward), *(f"^{terms.iri(iri)}" for iri in backward))
            return _STEP, f"!({'|'.join(names)})"
        case _:
            assert_never(path)


Inline = Mapping[Variable, str]
"""Variables in whose place a text stands: EXISTS groups and aggregates."""

EXISTS: Final = "EXISTS "
_BINDING: Final = {
    "||": 1, "&&": 2,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "IN"), 3),
    "+": 4, "-": 4, "*": 5, "/": 5, "!": 6, "NEG": 6,
}  # fmt: skip
_FRESH: Final = re.compile(r"_+[ae][0-9]+")
_SAMPLE: Final = re.compile(r"SAMPLE\((\?\w+)\)")
_COMPARED: Final = 3
_OPERAND: Final = 7


def write_expression(expression: Expression, terms: Terms, inline: Inline) -> str:
    """Return SPARQL text that is read as this expression; chains are read from the left.

    >>> one, x = Literal("1", "http://www.w3.org/2001/XMLSchema#integer"), Variable("x")
    >>> write_expression(Call("-", (x, Call("+", (Call("*", (x, x)), one)))), Terms(Language.CQELS), {})
    '?x - (?x * ?x + 1)'
    """
    return _write(expression, terms, inline, 0)


def write_operand(expression: Expression, terms: Terms, inline: Inline) -> str:
    """Return the expression where the grammar wants one in brackets or a call of a function."""
    match expression:
        case Call(function, _) if function not in _BINDING:
            return write_expression(expression, terms, inline)
        case Call("!", (Variable() as test,)) if _is_test(test, inline):
            return write_expression(expression, terms, inline)
        case Variable() if _is_test(expression, inline):
            return inline[expression]
        case _:
            return f"({write_expression(expression, terms, inline)})"


def _is_test(variable: Variable, inline: Inline) -> bool:
    return inline.get(variable, "").startswith(EXISTS)


def _write(expression: Expression, terms: Terms, inline: Inline, around: int) -> str:
    """Return the expression, in brackets if it binds less than what stands around it."""
    if not isinstance(expression, Call):
        if isinstance(expression, Variable) and expression in inline:
            return inline[expression]
        return terms.term(expression)
    binding = _binding(expression)
    text = _call(expression, terms, inline, binding)
    return f"({text})" if binding < around else text


def _binding(call: Call) -> int:
    match call:
        case Call("!", (Call("IN"),)):
            return _COMPARED
        case _:
            return _BINDING.get(call.function, _OPERAND)


def _call(call: Call, terms: Terms, inline: Inline, binding: int) -> str:
    match call:
        case Call("!", (Variable() as test,)) if _is_test(test, inline):
            return f"NOT {inline[test]}"
        case Call("!", (Call("IN", arguments),)):
            return _among(arguments, "NOT IN", terms, inline)
        case Call("!" | "NEG" as sign, (inner,)):
            return f"{'!' if sign == '!' else '-'}{_bracketed(inner, terms, inline)}"
        case Call("IN", arguments):
            return _among(arguments, "IN", terms, inline)
        case Call(operator, (left, right)) if operator in _BINDING:
            # Comparisons form no chains: a comparison in a comparison always has brackets.
            before = _write(left, terms, inline, binding + (binding == _COMPARED))
            return f"{before} {operator} {_write(right, terms, inline, binding + 1)}"
        case Call("IRI", (inner, *based)):
            terms.bases.update([base.lexical for base in based if isinstance(base, Literal)] or [""])
            return f"IRI({_write(inner, terms, inline, 0)})"
        case Call("BOUND", arguments):
            return f"BOUND({_tested(arguments, terms, inline)})"
        case Call(function) if function == f"<{TIMESTAMP}>" and terms.language is not Language.CSPARQL:
            raise CannotSayError(f"the function {function}", terms.language, "only C-SPARQL has it")
        case Call(function, arguments):
            name = terms.iri(Iri(function[1:-1])) if function.startswith("<") else function
            return f"{name}({_listed(arguments, terms, inline)})"


def _tested(arguments: tuple[Expression, ...], terms: Terms, inline: Inline) -> str:
    """Return the variable of BOUND; of a group's sample the reader knows by its name."""
    match arguments:
        case (Variable() as name,) if name not in inline or not _FRESH.fullmatch(name.name):
            return terms.variable(name)
        case (Variable() as name,) if sampled := _SAMPLE.fullmatch(inline[name]):
            return sampled[1]
        case _:
            shown = ", ".join(map(str, arguments))
            raise CannotSayError(f"BOUND({shown})", terms.language, "BOUND has a variable of the pattern")


def _bracketed(inner: Expression, terms: Terms, inline: Inline) -> str:
    """Return the operand of a sign; a number has brackets, for its sign would be part of it."""
    text = _write(inner, terms, inline, _OPERAND)
    return f"({text})" if isinstance(inner, Literal) else text


def _among(arguments: tuple[Expression, ...], word: str, terms: Terms, inline: Inline) -> str:
    needle = _write(arguments[0], terms, inline, _COMPARED + 1)
    return f"{needle} {word} ({_listed(arguments[1:], terms, inline)})"


def _listed(expressions: tuple[Expression, ...], terms: Terms, inline: Inline) -> str:
    return ", ".join(_write(expression, terms, inline, 0) for expression in expressions)


def write_aggregation(aggregation: Aggregation, terms: Terms, texts: Inline) -> str:
    """Return the call of an aggregate, as COUNT(DISTINCT ?x); `texts` are arguments that are no variables.

    Several arguments are COUNT(DISTINCT *), which has no other words.
    """
    inside = "*"
    if len(aggregation.arguments) == 1:
        (argument,) = aggregation.arguments
        inside = texts[argument] if argument in texts else terms.variable(argument)
    distinct = "DISTINCT " if aggregation.distinct else ""
    separator = ""
    if aggregation.function == "GROUP_CONCAT" and aggregation.separator != " ":
        separator = f"; SEPARATOR = {terms.literal(Literal(aggregation.separator))}"
    return f"{aggregation.function}({distinct}{inside}{separator})"
