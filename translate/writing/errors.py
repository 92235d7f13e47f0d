"""What a language cannot say."""

from lars.errors import LarsError
from translate.dialects.clauses import TITLES
from translate.query import Language


class CannotSayError(LarsError):
    """A construct of a query that a language has no words for, with what it accepts instead."""

    def __init__(self, construct: str, language: Language, accepted: str) -> None:
        super().__init__(f"{TITLES[language]} cannot say {construct}; {accepted}")
        self.construct = construct
        self.language = language
