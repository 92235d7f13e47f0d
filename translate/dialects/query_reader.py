"""Read a query in any of the query languages into an object of the query model.

C-SPARQL has REGISTER .. COMPUTED EVERY .. AS before the query, and FROM STREAM <iri> [window]. CQELS has
STREAM <iri> [window] { .. } in a group. SPARQLstream has STREAM blocks like CQELS, and FROM NAMED STREAM
<iri> [window].

RSP-QL declares windows with FROM NAMED WINDOW <name> ON <stream> [window]. In the pattern, WINDOW <name> { ..
} reads a declared window.

RSP-QL covers the language of RSP4J, and the languages of RSP-JS and Kolibrie with durations in milliseconds.
RSP-QL also covers the drafts of the W3C community group with rsp-spin. Report conditions and synchronization
policies of Kolibrie's windows are not part of the result, but a note lists these clauses. In RSP-QL, the
reader rejects constructs that only Janus and RSP-QL* have, with a message that names the construct.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from functools import cache, partial
from typing import Final

from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import PlacedError
from lars.language.stream import ToStream
from lars.language.terms import Iri, Variable
from translate import sparql
from translate.analysis import children, parts
from translate.dialects.grammars import (
    CLAUSE,
    GRAMMARS,
    TITLES,
    clauses_in,
    known_fault,
    without_bare_aggregates,
)
from translate.dialects.readings import DERIVED, Readings, concerns_queries, manner_of
from translate.dialects.windows import idle_step, read_every, read_window, step_of, strategies
from translate.errors import QueryError, UnsupportedError
from translate.model.manner import Manner
from translate.model.patterns import EMPTY, Bgp, Group, PathPattern, Pattern, StreamBlock
from translate.model.query import EngineQuery, Language
from translate.model.windows import Now, Range, Rows, WindowExpression
from translate.sparql.queries import translate
from translate.sparql.syntax_tree import AnyWindow, reach
from translate.sparql.tokens import declared


@dataclass(slots=True)
class _Streams:
    """The streams and windows that a query declares, collected while the query is read."""

    document: sparql.Document
    language: Language
    manner: Manner
    named: dict[Iri, StreamBlock] = field(default_factory=dict)
    merged: list[StreamBlock] = field(default_factory=list)
    read: set[Iri] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    steps: set[Duration] = field(default_factory=set)

    def read_from(self, clause: sparql.Phrase) -> None:
        """Add the stream or window that a FROM clause declares, or a note if the clause is ignored."""
        match clause.name:
            case "merged" if self.manner.texts is None:
                self._merge(clause)
            case "merged":
                self._add(clause)
            case "default" | "named":
                self.notes += (
                    f"{' '.join(token.text for token in part.tokens())} of CQELS 2 is ignored, "
                    "because this clause only determines how static data are fetched"
                    for part in clause.phrases()
                )
            case "declared" | "unnamed":
                self._declare(clause)

    def _merge(self, clause: sparql.Phrase) -> None:
        token = next(token for token in clause.tokens() if not token.is_word("FROM", "NAMED", "STREAM"))
        if token.kind == "a variable":
            raise self._unsupported(f"the variable stream name {token}", token, "FROM STREAM <iri>")
        window = clause.find("window")
        # SPARQLstream may omit the window. Its translation to a stream processor then answers for each
        # element when the element arrives, as with [NOW].
        bare = Now() if window is None else self._window(window)
        self.merged.append(StreamBlock(self.document.iri(token), bare))

    def _add(self, clause: sparql.Phrase) -> None:
        """Add the window that FROM STREAM of CQELS 2 declares for all blocks of its stream."""
        *_, token = (part for part in clause.parts if isinstance(part, sparql.Token))
        stream, window = Iri(token.text), clause.find("window")
        assert window is not None
        if any(one.name for one in self.named.values()):
            raise self.document.unexpected(token, "no FROM STREAM in a query with named windows")
        if stream in self.named:
            raise self.document.unexpected(token, "a stream that no other FROM STREAM names")
        self.named[stream] = StreamBlock(stream, self._window(window))

    def _unsupported(self, construct: str, token: sparql.Token, covered: str = CLAUSE) -> UnsupportedError:
        return UnsupportedError(construct, self.document.place(token.start), covered=covered)

    def _window(self, window: sparql.Phrase) -> WindowExpression:
        ahead = any(window.find_all("future"))
        for words in strategies(window):
            why = "it affects the times of reports, not the rows"
            if ahead and words.startswith("EMIT"):
                why = "lars shows the rows of complete windows, and no early rows"
            self.notes.append(f"{words} of {TITLES[self.language]} is ignored, because {why}")
        if self.manner.offset != "step" and (step := step_of(window)) is not None:
            self.steps.add(step)
            self.notes.append(
                f"STEP {step} of a window with OFFSET is ignored, because the window is "
                "evaluated at each time"
            )
        if self.manner.anchored and (slide := idle_step(window)) is not None:
            self.notes.append(f"{slide} is ignored, because each time with input is an anchor of the window")
        return read_window(self.document, window, self.manner)

    def _declare(self, clause: sparql.Phrase) -> None:
        """Add the window that FROM NAMED WINDOW declares, in the syntax of RSP-QL or of its drafts."""
        parts = {part.name: part for part in clause.phrases()}
        tokens = {kind: parts[kind].first() for kind in ("label", "stream") if kind in parts}
        if (log := parts.get("log")) is not None and parts["window"].find("range") is not None:
            raise self.document.unexpected(log.first(), "STREAM: a log has windows with START or OFFSET")
        kinds = list(parts)
        if kinds.index("window") < kinds.index("stream"):
            _refuse_bare_sizes(self.document, parts["window"])
        stream = StreamBlock(self._name(tokens["stream"], "stream"), self._window(parts["window"]))
        if "label" not in tokens:
            self.merged.append(stream)
            return
        if self.manner.texts is not None and any(not one.name for one in self.named.values()):
            raise self.document.unexpected(tokens["label"], "no named windows in a query with FROM STREAM")
        label = self._name(tokens["label"], "window")
        if label in self.named:
            raise self.document.unexpected(tokens["label"], "a name that no other window has")
        self.named[label] = StreamBlock(stream.stream, stream.window, name=label)

    def _name(self, token: sparql.Token, what: str) -> Iri:
        """Return the name of a stream or window: an IRI, or a text that may begin with a colon."""
        if self.manner.texts is not None and (what == "stream" or self.manner.names_windows):
            return self._text(token, what)
        if token.kind == "a variable":
            raise self._unsupported(f"the variable {what} name {token}", token)
        if token.kind == "a keyword":  # a word, which may be the same as a prefix
            return Iri(token.text)
        return self.document.iri(token) if what == "stream" else self.document.label(token)

    def _text(self, token: sparql.Token, what: str) -> Iri:
        if token.kind == "an IRI":
            return Iri(token.text[1:-1])
        if token.kind == "a variable":
            self.notes.append(
                f"{token} is read as the name of a {what}, not as a variable that the pattern binds"
            )
        if token.kind == "a prefixed name" and not token.text.startswith(":"):
            return self.document.label(token)
        if token.kind == "a prefixed name" and ":" in self.document.prefixes:
            self.notes.append(f"{token} is read as the name of a {what}, not as an IRI with the prefix :")
        return Iri(f"{self.manner.texts}{token.text}" if token.kind == "a keyword" else token.text)

    def read_block(self, block: sparql.Phrase) -> StreamBlock | AnyWindow:
        """Return the stream and the window of a STREAM or WINDOW block."""
        word, name, *_ = block.tokens()
        if (window := block.find("window")) is None:
            own = self.manner.block.partition(" ")[0] if self.manner.names_windows else "WINDOW"
            return self._named_window(name) if word.is_word("WINDOW", own) else self._stream(name)
        if self.manner.texts is not None:
            return StreamBlock(Iri(name.text), self._window(window))
        variable = name.kind == "a variable"
        stream = Variable(name.text[1:]) if variable else self.document.iri(name)
        return StreamBlock(stream, self._window(window))

    def _stream(self, token: sparql.Token) -> StreamBlock:
        """Return the block that reads a stream in the window that FROM STREAM declares for the stream."""
        name = Iri(token.text)
        if name not in self.named:
            raise self.document.unexpected(token, f"a stream with a window: FROM STREAM {token} [..]")
        self.read.add(name)
        return self.named[name]

    def implicit(self, query: sparql.Phrase, blocks: Iterable[object]) -> StreamBlock | None:
        """Return the stream in which patterns outside of blocks are matched (CQELS 2), or None.

        The result is None if the query has several streams, windows with names, graphs of a dataset, or
        blocks.
        """
        graphs = any(part.name in ("default", "named") for part in query.phrases())
        if self.manner.texts != "" or not self.named or any(blocks):
            return None
        graphs = graphs or any(one.name for one in self.named.values())
        if len(self.named) > 1 or graphs:
            self.notes.append(
                "patterns without a STREAM block are matched in the static data, as there is more than one "
                "stream, a window with a name, or a graph; no pattern reads a stream"
            )
            return None
        (stream,) = self.named
        self.read.add(stream)
        return self.named[stream]

    def _named_window(self, token: sparql.Token) -> StreamBlock | AnyWindow:
        if token.kind == "a variable" and self.manner.texts is None:
            self.read.update(self.named)
            return AnyWindow(Variable(token.text[1:]), tuple(self.named.values()))
        name = self._name(token, "window")
        if name not in self.named and self.manner.declares_all:
            declared = ", ".join(f"<{one.value}>" for one in self.named) or "none"
            accepted = f"a window that FROM NAMED WINDOW declares: {declared}"
            raise self.document.unexpected(token, accepted)
        if name not in self.named:
            return AnyWindow(name, ())
        self.read.add(name)
        return self.named[name]


def _refuse_bare_sizes(document: sparql.Document, window: sparql.Phrase) -> None:
    """Raise UnsupportedError for a window before ON whose length is a number without a unit."""
    for length in window.find_all("bare_size"):
        place = document.place(length.first().start)
        covered = "PT10S, and milliseconds after ON and a stream"
        raise UnsupportedError("a duration without a unit", place, covered=covered)


def _blocks(
    document: sparql.Document, part: sparql.Phrase, language: Language, outer: str = ""
) -> Iterator[sparql.Phrase]:
    """Yield the STREAM and WINDOW blocks in the order of the text; raise an error for a block inside a block.

    The argument `outer` is the keyword of the block that contains the part: STREAM, WINDOW, GRAPH, SERVICE or
    STATIC. A WINDOW block of RSP-QL may contain GRAPH.
    """
    without = outer in ("STREAM", "WINDOW") and language is not Language.RSPQL
    for inner in part.phrases():
        word = inner.first().text if inner.name == "block" else inner.name
        word = word.upper() if inner.name in ("block", "graph", "service", "static") else ""
        if (outer and inner.name == "block") or (without and inner.name == "graph"):
            _refuse_nesting(document, inner.first(), outer)
        if inner.name == "block":
            yield inner
        yield from _blocks(document, inner, language, outer or word)


def _refuse_nesting(document: sparql.Document, token: sparql.Token, outer: str) -> None:
    if token.is_word("GRAPH"):
        construct = f"GRAPH inside {outer}, which reads a stream of named graphs"
        raise UnsupportedError(
            construct, document.place(token.start), covered="windows of RSP-QL over named graphs"
        )
    problem = f"found {token.text.upper()} inside {outer}, which cannot contain a stream"
    raise QueryError(document.place(token.start), f"{problem}; use blocks side by side")


def _registered_name(document: sparql.Document, token: sparql.Token, language: Language) -> str:
    """Return the query's name: an IRI in RSP-QL if possible, otherwise a text, as in REGISTER QUERY q."""
    if not language.manner.names_windows:
        return token.text.strip("<>")
    whole = document.token_from(token.start)
    return document.label(whole).value if sparql.is_name(whole) else whole.text


def _operator(document: sparql.Document, manner: Manner, *clauses: sparql.Phrase | None) -> ToStream | None:
    """Return the relation-to-stream operator in REGISTER or SELECT, or None.

    The function raises QueryError if REGISTER and SELECT have different operators.
    """
    found = [clause.find("to_stream") for clause in clauses if clause is not None]
    said = [(one.first(), " ".join(token.text for token in one.tokens()).upper()) for one in found if one]
    for token, words in said[1:]:
        if words != said[0][1]:
            raise document.unexpected(token, f"{said[0][1]}, as REGISTER says")
    if not said:
        return None
    # The tree, or the word of the operator, may lack a word that all operators have.
    words = f" {said[0][1]}"
    texts = {operator: f" {text.upper()}" for operator, text in manner.operators.items()}
    return next((one for one, text in texts.items() if text.endswith(words) or words.endswith(text)), None)


def lift(
    document: sparql.Document, language: Language, readings: Readings = ()
) -> tuple[sparql.Phrase, sparql.Scope]:
    """Return the syntax tree of a query, and a Scope with its streams; raise QueryError at an invalid clause.

    A query in SPARQLstream may also have FROM STREAM without NAMED, units in the singular, and an operator
    after CONSTRUCT. If a stream in SPARQLstream has no window, its window is [NOW], because SPARQLstream then
    answers at each arriving element.
    """
    tree, document = sparql.read_tree(document, GRAMMARS[language]), declared(document)
    query = sparql.query_of(tree)
    found = {one.name: one for whole in (query, tree) for one in whole.phrases()}
    register = found.get("register") or found.get("registered")
    name, is_stream = (None, False) if register is None else _name_and_kind(document, register, language)
    every = found.get("every") if register is None else register.find("every") or found.get("every")
    streams = _Streams(document, language, manner_of(language, readings) if readings else language.manner)
    for part in query.phrases():
        streams.read_from(part)
    if language.manner.declares_all and not streams.named:
        construct, covered = f"a query of {TITLES[language]} without a window", language.manner.place
        raise UnsupportedError(
            construct,
            document.place(document.tokens[document.after].start),
            covered=f"windows that {covered}",
        )
    blocks = {block.first().start: streams.read_block(block) for block in _blocks(document, query, language)}
    if blocks and language.manner.texts is None:
        _refuse_mixture(document, query)
    implicit = streams.implicit(query, blocks)
    clauses = EngineQuery(
        language,
        "SELECT",
        (),
        EMPTY,
        name=name,
        every=_every(document, every, streams),
        merged=tuple(streams.merged),
        declared=tuple(stream for name, stream in streams.named.items() if name not in streams.read),
        window_names=tuple(name for name, stream in streams.named.items() if stream.name),
        to_stream=_operator(document, streams.manner, register, query, tree),
        registers_stream=is_stream,
        notes=tuple(
            dict.fromkeys((*streams.notes, *_left_out(tree), *_assumed_unit(tree, streams.manner.bare)))
        ),
    )
    return tree, sparql.Scope(document, clauses, blocks, implicit)


def _every(document: sparql.Document, every: sparql.Phrase | None, streams: _Streams) -> Duration | None:
    """Return the evaluation period of the query; for Janus, the common step of its windows with OFFSET."""
    if every is not None:
        return read_every(document, every, streams.manner)
    live = any(
        isinstance(one.window, Range) and one.window.slide is not None for one in streams.named.values()
    )
    return streams.steps.pop() if len(streams.steps) == 1 and not live else None


def _left_out(tree: sparql.Phrase) -> Iterator[str]:
    """Yield notes about clauses of Kolibrie that do not affect answers."""
    for source in tree.find_all("source"):
        words = "REGISTER STREAM .. FROM" + " .. WITH TIMESTAMP" * (source.find("stamp") is not None)
        yield f"{words} of Kolibrie is ignored, because the trace contains the elements and their times"


def _assumed_unit(tree: sparql.Phrase, bare: Duration | None) -> Iterator[str]:
    """Yield a note about the unit `bare` of lengths that the query writes without a unit."""
    written = dict.fromkeys(length.first().text for length in tree.find_all("bare_size"))
    if bare is not None and written:
        each = ", ".join(f"{text} is {Duration(int(text) * bare.nanoseconds)}" for text in written)
        yield f"lengths of windows without a unit count units of {bare}: {each}"


def _name_and_kind(
    document: sparql.Document, register: sparql.Phrase, language: Language
) -> tuple[str | None, bool]:
    """Return the name in REGISTER, and whether it is the name of a stream and not of a query."""
    first, *others = (*(part for part in register.parts if isinstance(part, sparql.Token)), None)
    if first is None:
        return None, False
    written = others[0] or first
    return _registered_name(document, written, language), not (others[0] and first.is_word("QUERY"))


def _refuse_mixture(document: sparql.Document, query: sparql.Phrase) -> None:
    """Raise QueryError if a query has both FROM STREAM without NAMED and STREAM blocks."""
    for clause in query.phrases():
        if clause.name == "merged" and not clause.has_word("NAMED"):
            accepted = (
                "FROM NAMED STREAM with STREAM blocks: FROM STREAM is C-SPARQL, and STREAM blocks are CQELS"
            )
            raise document.unexpected(clause.first(), accepted)


def read_query(  # noqa: PLR0913
    text: str,
    source: str,
    engine: Language | None = None,
    base: str = "",
    *,
    opaque: bool = False,
    rdf12: bool | None = None,
    prefixes: sparql.Prefixes = (),
    readings: Readings = (),
) -> EngineQuery:
    """Return the query that a text contains; messages name the text `source`.

    With `rdf12`, the text is read as SPARQL 1.2, even without a VERSION. The text may use the prefixes in
    `prefixes` without a declaration. `readings` choose meanings that the language leaves open; a note lists
    readings without effect.

    Relative IRIs before a BASE of the text are resolved against `base`. If `base` is "", these IRIs stay
    relative. With `opaque`, the reader also accepts calls of unknown functions. A query with unknown
    functions can be printed, but not solved.

    If `engine` is None, the streaming clauses determine the language, and a query without streaming clauses
    is C-SPARQL. If `engine` is a language, streaming clauses of other languages are errors. Raises QueryError
    for an error in the text, and UnsupportedError for an unsupported construct, each with its place.

    >>> query = read_query("ASK { STREAM <s> [RANGE 1m30s] { ?shop <sells> 'tea' } }", "q.rq")
    >>> print(query.language.value, query.pattern)
    cqels STREAM <s> [RANGE 90s] {?shop <sells> "tea"}
    """
    # Most languages read the same tokens.
    whole = cache(partial(sparql.tokenize, source=source, base=base, rdf12=rdf12, prefixes=prefixes))
    if engine is not None:
        tree, scope = lift(whole(plain(text, engine)), engine, readings)
    else:
        tree, scope = _recognise(text, whole, readings)
    scope.opaque = opaque
    query = translate(tree, scope)
    notes = (
        *query.notes,
        *_differences(query),
        *_invalid_iris(scope.document),
        *_idle(query, scope, readings),
    )
    return replace(query, notes=notes)


def _differences(query: EngineQuery) -> Iterator[str]:
    """Yield notes about constructs of a query for which the language's documents contradict SPARQL."""
    groups = (part for part in parts(query.pattern) if isinstance(part, Group))
    if query.language.manner.raw_aggregates and any(part.aggregates and not part.keys for part in groups):
        yield (
            "an aggregate without GROUP BY has one row, as in SPARQL; according to the document of "
            f"{TITLES[query.language]}, each solution is a row"
        )
    if not query.language.manner.has_static and _reads_static(query.pattern):
        yield (
            f"patterns outside of WINDOW match the static data; in {TITLES[query.language]} they match "
            "nothing, because its default graph is empty"
        )


def _reads_static(pattern: Pattern) -> bool:
    match pattern:
        case StreamBlock():
            return False
        case Bgp(triples):
            return bool(triples)
        case PathPattern():
            return True
        case _:
            return any(map(_reads_static, children(pattern)))


_LONE_PERCENT: Final = re.compile(r"\\%(?![0-9A-Fa-f]{2})")


def _invalid_iris(document: sparql.Document) -> Iterator[str]:
    """Yield a note about each name that SPARQL allows, but whose IRI is invalid."""
    names = dict.fromkeys(token.text for token in document.tokens if token.kind == "a prefixed name")
    for name in filter(_LONE_PERCENT.search, names):
        yield f"the IRI of {name} is invalid, because % requires two hexadecimal digits"


def _idle(query: EngineQuery, read: sparql.Scope, readings: Readings) -> Iterator[str]:
    """Yield a note about each chosen reading (option --reading) that has no effect on the query."""
    for name, value in filter(lambda one: one[0] == DERIVED or concerns_queries(one[0]), readings):
        others = tuple(one for one in readings if one[0] != name)
        with suppress(PlacedError):  # A query that only this reading accepts differs.
            tree, scope = lift(read.document, query.language, others)
            scope.opaque = read.opaque
            if translate(tree, scope) == query:
                yield f"--reading {name}={value} has no effect on this query of {TITLES[query.language]}"


_STRINGS: Final = (
    r'"{3}(?:[^\\]|\\.)*?"{3}', r"'{3}(?:[^\\]|\\.)*?'{3}",
    r'"(?:[^"\\\r\n]|\\.)*"', r"'(?:[^'\\\r\n]|\\.)*'", r"<[^<>\s]*>", r"#[^\r\n]*",
)  # fmt: skip
_DASHES: Final = re.compile(rf"({'|'.join(_STRINGS)})|--[^\r\n]*", re.DOTALL)


def plain(text: str, language: Language) -> str:
    """Return the text without comments that begin with --, if the language has such comments."""
    dashes = language.manner.dashes
    return _DASHES.sub(lambda match: match[1] or " " * len(match[0]), text) if dashes else text


_Tokens = Callable[[str], sparql.Document]


def tokens_of(
    text: str, source: str, base: str = "", *, rdf12: bool | None = None, prefixes: sparql.Prefixes = ()
) -> sparql.Document:
    """Return the tokens of a query in any query language.

    Comments that begin with -- are skipped if the text has syntax that only a language with such comments
    has.
    """
    whole = cache(partial(sparql.tokenize, source=source, base=base, rdf12=rdf12, prefixes=prefixes))
    told = (one for one in Language if one.manner.dashes)
    dashed = next((one for one in told if _has_sign(text, one, whole)), Language.RSPQL)
    return whole(plain(text, dashed))


_MASKS: Final = {"an IRI": "<>", "a prefixed name": ":", "a variable": "?", "a string": '""'}


def _has_sign(text: str, language: Language, whole: _Tokens) -> bool:
    """Return whether a text has syntax that only this language has, outside comments, strings and names."""
    sign = language.manner.sign
    if sign is None:
        return False
    try:
        tokens = whole(plain(text, language)).tokens
    except QueryError:
        return sign.search(text) is not None
    pieces: list[str] = []
    end = 0
    for token in tokens:
        # Tokens without a space between them, such as s-1, are one word in some languages.
        pieces.append(f"{' ' * (token.start > end)}{_MASKS.get(token.kind, token.text)}")
        end = token.end
    return sign.search("".join(pieces)) is not None


def _recognise(text: str, whole: _Tokens, readings: Readings) -> tuple[sparql.Phrase, sparql.Scope]:
    """Return the syntax tree and the Scope of a text in the first language whose grammar reads the text.

    Languages whose own syntax occurs in the text are tried first. If a text is valid in C-SPARQL, but more
    likely SPARQLstream, the text is read as SPARQLstream if possible.

    Raises:
        PlacedError: No language reads the text, even if names of streams may be texts. The error comes from
            the most likely language. If the text contains signs of languages, the most likely language is a
            language with a sign in the text. Among the possible languages, the most likely language reads the
            longest part of the text without an error. An aggregate without brackets does not count as an
            error. If two languages read equally far, the language with more streaming clauses in the text is
            more likely.
    """
    errors: dict[Language, PlacedError] = {}
    ends: dict[Language, tuple[int, int]] = {}
    found = [language for language in Language if _has_sign(text, language, whole)]
    for language in (*found, *(language for language in Language if language.manner.sign is None)):
        try:
            document = whole(plain(text, language))
        except QueryError as error:
            errors[language], ends[language] = error, (-1, 0)
            continue
        try:
            lifted = lift(document, language, readings)
        except PlacedError as error:
            errors[language] = error
            far = reach(document, GRAMMARS[language])
            if known_fault(language, document, far) is not None:  # How far, if the brackets were there?
                far = max(far, reach(whole(without_bare_aggregates(document)), GRAMMARS[language]))
            ends[language] = far, clauses_in(document, language)
            continue
        if language is Language.CSPARQL and _may_be_sparqlstream(*lifted):
            with suppress(PlacedError):
                return lift(document, Language.SPARQLSTREAM, readings)
        return lifted
    for language in (one for one in Language if one.manner.texts == ":" and one not in found):
        with suppress(PlacedError):
            tree, scope = lift(whole(plain(text, language)), language, readings)
            registers = any(one.find("to_stream") is not None for one in tree.find_all("registered"))
            if registers and _has_only_texts(tree):
                scope.notes.append(f"the query is read as {TITLES[language]}, as its names are not IRIs")
                return tree, scope
    likeliest = max(found or ends, key=lambda language: ends[language])
    best = errors[likeliest]
    if isinstance(best, QueryError) and len({end for end, _ in ends.values()}) > 1:
        raise QueryError(best.place, f"{best.problem} (read as {TITLES[likeliest]})")
    raise best


def _has_only_texts(tree: sparql.Phrase) -> bool:
    """Return whether all streams and windows of a query have names such as :s, ?s or s, and not IRIs.

    If the query declares a prefix, the result is False.
    """
    names = [one.first() for one in tree.find_all("label", "stream")]
    prologues = tree.find_all("prologue")
    return not any(
        one.text.startswith("<") or (":" in one.text and not one.text.startswith(":")) for one in names
    ) and not any(token.kind == "a prefixed name" for part in prologues for token in part.tokens())


def _may_be_sparqlstream(tree: sparql.Phrase, scope: sparql.Scope) -> bool:
    """Return whether a text read as C-SPARQL is more likely SPARQLstream.

    The text is more likely SPARQLstream if it has FROM NAMED STREAM with [NOW] or a tuple window, and no
    REGISTER.
    """
    named = any(one.name == "merged" and one.has_word("NAMED") for one in sparql.query_of(tree).phrases())
    short = any(isinstance(stream.window, Now | Rows) for stream in scope.query.merged)
    return named and short and tree.find("register") is None
