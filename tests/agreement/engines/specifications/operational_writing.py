"""Random queries in the four languages: where windows stand, and how each writes time."""

from tests.agreement.engines.specifications.operational import Window
from tests.agreement.engines.specifications.operational_queries import Asked
from tests.sparql.writing import PREFIXES, group, item, modifiers, steps

MILLISECONDS = {"1s": 1000, "500ms": 500, "2s": 2000}


def written(asked: Asked, unit: str, stated: str | None) -> str:
    """Return the text of a query whose time points are so long; `stated` is its operator."""
    length = MILLISECONDS[unit]
    clauses = " ".join(from_clause(asked.language, one, length) for one in asked.windows)
    where = group(asked.query.select.where)
    for one in asked.windows:
        if one.name is not None:
            where = where.replace(f"GRAPH :{short(one.name.value)} ", block(asked.language, one, length))
    body = f"{form(asked, stated)} {clauses} WHERE {where} {modifiers(asked.query.select)}"
    match asked.language:
        case "csparql":
            kind = "STREAM" if asked.query.form == "CONSTRUCT" else "QUERY"
            return f"REGISTER {kind} q AS {PREFIXES} {body}"
        case "rspql" if stated:
            return f"{PREFIXES} REGISTER {stated} <http://e/out> AS {body}"
        case _:
            return f"{PREFIXES} {body}"


def short(iri: str) -> str:
    return iri.rsplit("/", 1)[-1]


def form(asked: Asked, stated: str | None) -> str:
    query = asked.query
    operator = stated if stated and asked.language == "sparqlstream" else ""
    match query.form:
        case "ASK":
            return f"ASK {operator}"
        case "CONSTRUCT":
            return f"CONSTRUCT {operator} {{ {steps(query.template)} }}"
        case _:
            listed = " ".join(map(item, query.select.items)) or "*"
            return f"SELECT {operator} {query.select.duplicates} {listed}"


def from_clause(language: str, window: Window, length: int) -> str:
    expression = f"<{window.stream}> {bracket(language, window, length)}"
    match language:
        case "csparql":
            return f"FROM STREAM {expression}"
        case "sparqlstream":
            return f"FROM NAMED STREAM {expression}"
        case "cqels":
            return ""
        case _ if window.name is None:
            return f"FROM WINDOW ON {expression}"
        case _:
            return f"FROM NAMED WINDOW :{short(window.name.value)} ON {expression}"


def block(language: str, window: Window, length: int) -> str:
    if language == "rspql":
        return f"WINDOW :{short(window.name.value)} "
    return f"STREAM <{window.stream}> {bracket(language, window, length)} "


def bracket(language: str, window: Window, length: int) -> str:
    """Return the window in brackets."""
    words = {"csparql": "RANGE TRIPLES", "rspql": "ELEMENTS"}
    match window.kind:
        case "rows":
            return f"[{words.get(language, 'TRIPLES')} {window.width}]"
        case "now":
            return "[NOW]"
        case "all":
            return "[ALL]"
    width, slide = window.width * length, window.slide * length
    if language == "sparqlstream":
        return f"[NOW - {width} MS" + (f" SLIDE {slide} MS]" if slide else "]")
    if language == "rspql":
        return f"[RANGE PT{width / 1000}S" + (f" STEP PT{slide / 1000}S]" if slide else "]")
    word = "STEP" if language == "csparql" else "SLIDE"
    return f"[RANGE {width}ms" + (f" {word} {slide}ms]" if slide else "]")
