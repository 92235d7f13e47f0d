"""Terms and atoms: the possible arguments of a LARS predicate.

RDF terms are printed as in N-Triples. Two terms are therefore equal if and only if their texts are equal.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lars.dataclass import dataclass
from lars.errors import LarsError, wrong
from lars.options import kind_of_value

XSD: Final = "http://www.w3.org/2001/XMLSchema#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_LANG_STRING: Final = f"{RDF}langString"
TAGGED: Final = (RDF_LANG_STRING, f"{RDF}dirLangString")
"""The datatypes of literals with a language tag: without and with a base direction."""

_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')
_SPECIAL_IN_IRI = re.compile(r'[<>"{}|^`\\\x00-\x20]')
_SPECIAL_IN_NAME = re.compile(r"['\\\x00-\x1f\x7f]")
_PLAIN_NAME = re.compile(r"(?!(?:not|true|false|mod|_)'*\Z|_+[A-Z])[a-z_]\w*'*")
_SHORT = {'"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT.get(character, f"\\u{ord(character):04X}")


def write_name(name: str, *, quoted: bool = False) -> str:
    """Return the name of a predicate or symbol, in quotes unless the name is a plain word such as ans2'."""
    if _PLAIN_NAME.fullmatch(name) and not quoted:
        return name
    return f"'{_SPECIAL_IN_NAME.sub(_escape, name)}'"


@dataclass(frozen=True, slots=True, order=True)
class Variable:
    """A variable; its text is `?name`, or `Name` if the name is ASCII and starts with a capital letter.

    >>> str(Variable("shop")), str(Variable("Shop"))
    ('?shop', 'Shop')
    """

    name: str

    def __str__(self) -> str:
        return self.name if self.name[0].isupper() and self.name.isascii() else f"?{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class Iri:
    """An absolute IRI."""

    value: str

    def __str__(self) -> str:
        escaped = _SPECIAL_IN_IRI.sub(lambda match: f"\\u{ord(match.group()):04X}", self.value)
        return f"<{escaped}>"


RDF_TYPE: Final = Iri(f"{RDF}type")
"""The IRI of the keyword `a` in Turtle and SPARQL."""


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    r"""An RDF literal: its lexical form, its datatype IRI, and its language tag in lower case, or None.

    The base direction of RDF 1.2 follows the tag, as in N-Triples: en--ltr.

    >>> print(Literal('say "hi"\n'), Literal("01", XSD + "integer"))
    "say \"hi\"\n" "01"^^<http://www.w3.org/2001/XMLSchema#integer>
    """

    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None

    @property
    def direction(self) -> str:
        """The base direction of the literal, ltr or rtl, or "" if it has none."""
        return (self.language or "").partition("--")[2]

    def __str__(self) -> str:
        quoted = f'"{_SPECIAL.sub(_escape, self.lexical)}"'
        if self.language is not None:
            return f"{quoted}@{self.language}"
        return quoted if self.datatype == XSD + "string" else f"{quoted}^^{Iri(self.datatype)}"


def tagged(lexical: str, tag: str) -> Literal:
    """Return the literal with a language tag; the tag may end with a base direction.

    >>> print(tagged("a", "EN"), tagged("a", "en--ltr").datatype)
    "a"@en http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString
    """
    return Literal(lexical, TAGGED["--" in tag], tag.lower())


@dataclass(frozen=True, slots=True, order=True)
class Blank:
    """A blank node; equal labels mean the same node.

    Readers rename blank nodes if two scopes use the same label.
    """

    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True, order=True)
class TripleTerm:
    """A triple term of RDF 1.2: a triple as a term, with an IRI or a blank node as subject.

    Only triple terms in the template of a CONSTRUCT can contain variables.

    >>> print(TripleTerm(Iri("x:s"), Iri("x:p"), Literal("o")))
    <<( <x:s> <x:p> "o" )>>
    """

    subject: "Term"
    predicate: "Term"
    object: "Term"

    def __str__(self) -> str:
        return f"<<( {self.subject} {self.predicate} {self.object} )>>"

    @property
    def terms(self) -> "tuple[Term, Term, Term]":
        """The subject, predicate and object of the triple term."""
        return self.subject, self.predicate, self.object

    def is_fixed(self) -> bool:
        """Return whether the triple term contains neither variables nor blank nodes."""
        fixed = isinstance(self.subject, Iri) and isinstance(self.predicate, Iri)
        return fixed and (
            self.object.is_fixed()
            if isinstance(self.object, TripleTerm)
            else isinstance(self.object, Iri | Literal)
        )

    def leaves(self) -> "Iterator[Term]":
        """Yield the terms in the triple term, at any depth, that are not triple terms."""
        for term in self.terms:
            if isinstance(term, TripleTerm):
                yield from term.leaves()
            else:
                yield term


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A plain constant of a hand-written program, or one of the constants null and default.

    >>> print(Symbol("null"), Symbol("New York"))
    null 'New York'
    """

    name: str

    def __str__(self) -> str:
        return write_name(self.name)


@dataclass(frozen=True, slots=True, order=True)
class Number:
    """An integer of the logic: a time point or a result of arithmetic. A Number is not an RDF literal."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


Constant = Iri | Literal | Blank | TripleTerm | Symbol | Number
Term = Variable | Constant

NULL: Final = Symbol("null")
"""The constant that the translation to LARS uses for an unbound variable of a solution."""
DEFAULT: Final = Symbol("default")
"""The name of the default graph, which is the fourth argument of `triple`."""


@dataclass(frozen=True, slots=True, order=True)
class Atom:
    """A predicate applied to terms.

    >>> print(Atom("offer", (Symbol("a"), Variable("C"))))
    offer(a, C)
    """

    predicate: str
    arguments: tuple[Term, ...] = ()

    def __str__(self) -> str:
        name = write_name(self.predicate)
        return f"{name}({', '.join(map(str, self.arguments))})" if self.arguments else name


Signature = tuple[str, int]


def signature(atom: Atom) -> Signature:
    """Return the name and arity of an atom's predicate; predicates with different arities differ."""
    return atom.predicate, len(atom.arguments)


Binding = dict[Variable, Term]


def substitute(atom: Atom, binding: Mapping[Variable, Term]) -> Atom:
    """Return the atom with the values of bound variables; unbound variables are unchanged."""
    return Atom(
        atom.predicate,
        tuple(binding.get(term, term) if isinstance(term, Variable) else term for term in atom.arguments),
    )


def unify(pattern: Atom, atom: Atom, binding: Binding) -> Binding | None:
    """Return the binding, extended so that the pattern equals the ground atom; None if this is impossible."""
    if signature(pattern) != signature(atom):
        return None
    grown = dict(binding)
    for term, constant in zip(pattern.arguments, atom.arguments, strict=True):
        if (grown.setdefault(term, constant) if isinstance(term, Variable) else term) != constant:
            return None
    return grown


def constants(binding: Binding) -> dict[Variable, Constant]:
    """Return the variables of a binding whose values are constants, with these values."""
    return {name: term for name, term in binding.items() if not isinstance(term, Variable)}


ABSOLUTE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`\x00-\x20]+')


def without_brackets(iri: str) -> str:
    """Return an IRI without the brackets < and >; an IRI without brackets is unchanged."""
    return iri[1:-1] if iri[:1] == "<" and iri[-1:] == ">" else iri


@kind_of_value("IRI", "str")
def absolute_iri(text: str) -> str:
    """Return an absolute IRI without < and >; raises LarsError for any other text."""
    bare = without_brackets(text)
    if not ABSOLUTE_IRI.fullmatch(bare):
        raise LarsError(f"found {text!r}; expected an absolute IRI, such as http://example.org/s")
    return bare


def iri(value: object, what: str, part: str | None = None) -> Iri:
    """Return an IRI that is given with or without < and >.

    Raises:
        WrongValueError: The value is no absolute IRI. The error's place is `part`, by default the value.
    """
    bare = without_brackets(value) if isinstance(value, str) else ""
    if not ABSOLUTE_IRI.fullmatch(bare):
        place = value if part is None and isinstance(value, str) else part
        raise wrong(value, f"{what}, an absolute IRI, such as http://example.org/s", place)
    return Iri(bare)


def stream_name(text: str) -> str:
    """Return the name of a stream without < and >: an IRI, or a name of Kolibrie or CQELS 2."""
    bare = without_brackets(text)
    if not STREAM_NAME.fullmatch(bare):
        raise LarsError(f"found {text!r}; expected a stream's name, such as http://example.org/s or Sensors")
    return bare


STREAM_NAME: Final = re.compile(r'[^\s<>"{}|\\^`\x00-\x20]+')
