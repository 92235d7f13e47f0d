"""What a slice holds: facts as rows and symbols, static data, and which of them windows show when."""

from solver.facts.evaluation_times import (
    Arrivals,
    ChosenTimes,
    EveryTime,
    Gate,
    Matcher,
    Multiples,
    matcher,
    split,
    times_of,
)
from solver.facts.facts import (
    STREAM_PREDICATE,
    Arguments,
    Background,
    Fact,
    Row,
    Situation,
    UnwritableTermError,
    atom_of,
    atoms_of,
    check_writable,
    constant_of,
    is_triple,
    with_facts,
)
from solver.facts.input_files import STANDARD_INPUT, bare, converted_file, readable
from solver.facts.near_situation import NearSituation, Newest, Span, WindowedAtom, counts, unite
from solver.facts.relevance import Relevance, canonical_atom, relevant_background, variables_in_order
from solver.facts.static import CodedRows, Static, Triple, distinct_rows, graph_rows
