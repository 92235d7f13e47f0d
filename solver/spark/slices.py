"""What is done to each block of a trace on Spark: its atoms are counted, and given to slices."""

from collections.abc import Iterator
from dataclasses import dataclass

from lars.language.terms import Signature
from lars.language.windows import Interval, TupleWindow
from solver.columns import Array, InputAtoms, TimeBins, arrivals
from solver.job import Needs
from solver.job.slices import Counts, between, carried_atoms
from solver.spark.packed_atoms import Block, packed_atoms


@dataclass(frozen=True, slots=True)
class AtomCounter:
    """Counts the atoms of a block within the timeline that some slice needs, by time."""

    needs: Needs
    timeline: Interval

    def __call__(self, block: Block) -> Counts:
        """Return the counts of not too many parts; all atoms of one time are in one of them."""
        return self.needs.among(block.atoms, block.terms, self.timeline).counts()


@dataclass(frozen=True, slots=True)
class AtomSpreader:
    """Gives each of some slices, by their numbers, what it needs of a block."""

    needs: Needs
    timeline: Interval
    slices: tuple[Interval, ...]
    numbers: frozenset[int]

    def __call__(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers of slices with their atoms as bytes."""
        given = self.needs.among(block.atoms, block.terms, self.timeline)
        for number in given.near(self.slices):
            if number not in self.numbers:
                continue
            parts = {name: part for name, part in given.of(self.slices[number]).items() if len(part.t)}
            if parts:
                yield number, packed_atoms(parts, block.terms)


@dataclass(frozen=True, slots=True)
class AtomCarrier:
    """Finds what tuple windows keep of a block at the end of each slice, number -1: before the first one."""

    windows: tuple[TupleWindow, ...]
    timeline: Interval
    slices: tuple[Interval, ...]

    def __call__(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers of slices with the atoms as bytes, or with more."""
        before = Interval(self.timeline.first, self.slices[0].first - 1)
        parts = (before, *self.slices[:-1])
        near = between(parts, [some.t for some in block.atoms.values()])
        for number, within in enumerate(parts[near.start : near.stop], near.start - 1):
            inside = {name: some.within(within) for name, some in block.atoms.items()}
            if found := carried_atoms(self.windows, inside, block.terms):
                yield number, packed_atoms(found, block.terms)


@dataclass(frozen=True, slots=True)
class Binning:
    """Counts the triples of a block within the timeline, by stream and bin."""

    timeline: Interval
    bins: TimeBins

    def __call__(self, block: Block) -> dict[str, Array]:
        """Return the counts of each stream by its text."""
        codes, counts = arrivals(block.atoms, self.timeline, self.bins)
        return dict(zip(block.terms.arrow(codes).to_pylist(), counts, strict=True))


@dataclass(frozen=True, slots=True)
class AtomSelector:
    """Takes from a block the atoms of an interval that questions can use, all of them with `needs` None."""

    within: Interval
    needs: Needs | None

    def __call__(self, block: Block) -> Iterator[bytes]:
        """Yield the atoms as bytes, where there are some."""
        found: dict[Signature, InputAtoms] = {}
        for name, some in block.atoms.items():
            here = some.within(self.within)
            if self.needs is not None:
                here = here.take(self.needs.windowed(name, here, block.terms))
            if len(here.t):
                found[name] = here
        if found:
            yield packed_atoms(found, block.terms)
