"""What a document of JSON-LD may not say here: contexts by address, relative IRIs."""

from typing import Any, Final

from solver.rdf import NotATerm

NOWHERE: Final = "http://relative.invalid/"
"""What relative IRIs of JSON-LD count from, so that they are found: its parser leaves them out else."""


def remote_context(document: object) -> str | None:
    """Return a context that would have to be fetched, None where there is none.

    >>> remote_context([{"@context": ["https://schema.org/", {}]}])
    'https://schema.org/'
    """
    match document:
        case dict():
            named = document.get("@context")
            contexts = named if isinstance(named, list) else [named]
            remote = [*(one for one in contexts if isinstance(one, str)), *_text(document.get("@import"))]
            return remote[0] if remote else _first_remote(document.values())
        case list():
            return _first_remote(document)
        case _:
            return None


def _text(value: object) -> list[str]:
    return [] if value is None else [str(value)]


def _first_remote(values: Any) -> str | None:
    return next(filter(None, map(remote_context, values)), None)


def check_absolute(texts: tuple[str | None, ...]) -> None:
    """Raise NotATerm for a relative IRI among the texts of a statement."""
    for text in texts:
        if text is not None and NOWHERE in text and text.startswith(f"<{NOWHERE}"):
            raise NotATerm.of(f"<{text[len(NOWHERE) + 1 :]}", "a relative IRI has no meaning here")
