"""The exact grammars of engine versions, with the errors of the engines' own parsers."""

from translate.strict.strict_engines import StrictEngine, check_strict
from translate.strict.strict_kolibrie import read_kolibrie
