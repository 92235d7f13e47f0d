"""Where in a query's text its parts stand: the places that premises are named with."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agreement.proving.disjuncts import Reading
from lars.language.formulas import Expression
from lars.language.program import variables as named_in
from lars.language.terms import RDF_LANG_STRING, Iri, Literal, Term, Variable
from translate.errors import QueryError
from translate.model.patterns import TriplePattern
from translate.sparql import Document, Names, Token, TokenKind, is_name, read_prologue, tokenize

RDF_TYPE = Iri(RDF_LANG_STRING.partition("#")[0] + "#type")


@dataclass(frozen=True)
class Places:
    """The places of a query's parts, each as file:line:column; where a part is not found, the file."""

    text: str
    source: str

    @cached_property
    def _document(self) -> Document:
        return tokenize(self.text, self.source)

    @cached_property
    def _names(self) -> Names:
        names = read_prologue(self._document)
        for index, token in enumerate(self._document.tokens):
            if token.is_word("PREFIX", "BASE"):
                names = read_prologue(self._document, index, names)
        return names

    @property
    def _tokens(self) -> tuple[Token, ...]:
        return self._document.tokens

    def _at(self, index: int | None) -> str:
        return self.source if index is None else str(self._document.place(self._tokens[index].start))

    def word(self, *words: str) -> str:
        """Return where one of these keywords stands first."""
        return self._at(next((n for n, token in enumerate(self._tokens) if token.is_word(*words)), None))

    def triple(self, triple: TriplePattern) -> str:
        """Return where the predicate of a triple pattern stands, before its object if that is found."""
        places = [n for n in range(len(self._tokens)) if self._is(n, triple.predicate)]
        exact = [n for n in places if self._is(n + 1, triple.object)]
        both = [n for n in exact if self._is(n - 1, triple.subject)]
        return self._at(next(iter((*both, *exact, *places)), None))

    def window(self, reading: Reading) -> str:
        """Return where the window of a stream is opened: the bracket behind the stream's name."""
        streams = [n for n in range(len(self._tokens)) if self._is(n, reading.stream)]
        opened = [n + 1 for n in streams if self._tokens[n + 1].is_word("[")]
        return self._at(next(iter((*opened, *streams)), None))

    def condition(self, expression: Expression) -> str:
        """Return where the FILTER, BIND or HAVING with the variables of a condition stands."""
        names = {name.name for name in named_in(expression)}
        for index, inside in self._conditions():
            if names <= inside:
                return self._at(index)
        return self.word("FILTER", "BIND", "HAVING")

    def _conditions(self) -> Iterator[tuple[int, frozenset[str]]]:
        for index, token in enumerate(self._tokens):
            if not token.is_word("FILTER", "BIND", "HAVING"):
                continue
            depth, inside = 0, set[str]()
            for one in self._tokens[index + 1 :]:
                depth += one.is_word("(", "{") - one.is_word(")", "}")
                if one.kind is TokenKind.VARIABLE:
                    inside.add(one.text[1:])
                if depth <= 0 and one.is_word(")", "}"):
                    break
            yield index, frozenset(inside)

    def _is(self, index: int, term: Term) -> bool:
        token = self._tokens[index] if 0 <= index < len(self._tokens) else self._tokens[-1]
        try:
            match term:
                case Variable(name):
                    return token.kind is TokenKind.VARIABLE and token.text[1:] == name
                case Iri() if is_name(token):
                    return self._names.iri(token) == term
                case Iri():
                    return token.is_word("A") and token.text == "a" and term == RDF_TYPE
                case Literal():
                    known = token.kind in (TokenKind.STRING, TokenKind.NUMBER)
                    return known and self._names.literal(index) == term
                case _:
                    return False
        except QueryError:
            return False
