"""The exact grammars of engine versions: what their own parsers reject, and where."""

from translate.strict.strict_engines import StrictEngine, check_strict
from translate.strict.strict_kolibrie import KolibrieText, KolibrieWindow, read_kolibrie
