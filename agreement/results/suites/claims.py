"""Published claims about queries and engines; verdicts are not stored, because commands decide the claims."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

from pydantic import BaseModel

from agreement.documents.outputs import quantity
from agreement.documents.placed import checked_at, read_toml
from agreement.proving.decisions import Decision
from agreement.results.judgements import judge
from agreement.results.proofs.contained import contained
from agreement.results.proofs.traceless import decide, witness
from agreement.results.solutions import SolveResult, solve
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, replacement_folder
from solver.settings import Progress, no_progress

BENCHMARKS: Final = "BENCHMARKS"
"""The placeholder in commands for the folder of published benchmarks."""


Kind = Literal["proven", "refuted", "survived", "open", "needs data"]
"""The verdict on a claim; a claim has survived if no tried case refutes it."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


class Claim(BaseModel, frozen=True, extra="forbid"):
    """A published claim that two sides differ, or never differ, with the commands that decide the claim."""

    name: str
    source: str
    statement: str
    differ: bool = False
    commands: tuple[str, ...]
    files: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A claim with its verdict, the reason, and the commands.

    The commands can be run in the folder of the claims' input files.
    """

    claim: Claim
    kind: Kind
    why: str
    commands: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The verdict as text, with the reason."""
        return f"{self.kind}: {self.why}" if self.why else self.kind


@dataclass(frozen=True, slots=True)
class _Finding:
    """The result of a command of a claim.

    - `differ` is whether the compared sides differ; None if the command does not decide this.
    - `witness` describes the size of the data that show a difference.
    - `theorem` is the theorem that decides, or a text about an open verdict.
    - `cases` is the number of tried cases without a difference, as text.
    """

    differ: bool | None
    witness: str = ""
    theorem: str = ""
    cases: str = ""


@cache
def published_claims() -> tuple[Claim, ...]:
    """Return the published claims in the order of claims.toml."""
    with as_file(files("agreement.results.suites").joinpath("claims.toml")) as path:
        data = read_toml(path, "claims")
    claims = enumerate(data.content["claims"])
    return tuple(checked_at(Claim, data, ("claims", number), one) for number, one in claims)


def decided_claims(
    folder: Path, benchmarks: Path | None, progress: Progress = no_progress
) -> tuple[ClaimVerdict, ...]:
    """Write the input files of the claims into a folder, run their commands, and return the verdicts."""
    every, verdicts = published_claims(), []
    with replacement_folder(folder, "run of the claims") as new:
        for claim in every:
            for name, text in claim.files.items():
                path = new / claim.name / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.lstrip("\n"), encoding="utf-8", newline="\n")
        for done, claim in enumerate(every):
            progress(done, len(every))
            verdicts.append(_decided(claim, new, benchmarks))
        lines = ",\n".join(json.dumps(as_json(verdict), ensure_ascii=False) for verdict in verdicts)
        (new / "claims.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8", newline="\n")
    return tuple(verdicts)


def as_json(verdict: ClaimVerdict) -> Mapping[str, object]:
    """Return a claim with its verdict as JSON."""
    of = verdict.claim
    document = {"name": of.name, "source": of.source, "says": of.statement, "verdict": verdict.kind}
    return document | {"why": verdict.why, "commands": list(verdict.commands)}


def _decided(claim: Claim, folder: Path, benchmarks: Path | None) -> ClaimVerdict:
    of_reader = tuple(_placed(command, claim.name, benchmarks) for command in claim.commands)
    if missing := _missing(claim, benchmarks):
        return ClaimVerdict(claim, "needs data", missing, of_reader)
    commands = [_placed(command, str(folder / claim.name), benchmarks) for command in claim.commands]
    try:
        findings = [*_findings(commands)]
    except LarsError as error:
        why = str(error).splitlines()[0].replace(f"{folder}/", "")
        return ClaimVerdict(claim, "open", f"not comparable: {why}", of_reader)
    return ClaimVerdict(claim, *_verdict(findings, differ=claim.differ), of_reader)


def _missing(claim: Claim, benchmarks: Path | None) -> str:
    """Return a text with the folders of --benchmarks that a claim needs and that are missing, or ""."""
    needed = sorted(
        {name for command in claim.commands for name in re.findall(rf"{BENCHMARKS}/(\w+)", command)}
    )
    absent = [name for name in needed if benchmarks is None or not exists(benchmarks / name, folder=True)]
    return f"--benchmarks DIR with {', '.join(absent)}" if absent else ""


def _placed(command: str, folder: str, benchmarks: Path | None) -> str:
    value = BENCHMARKS if benchmarks is None else shlex.quote(str(benchmarks))
    return command.replace("./", f"{shlex.quote(folder)}/").replace(f"{BENCHMARKS}/", f"{value}/")


def _verdict(findings: Sequence[_Finding], *, differ: bool) -> tuple[Kind, str]:
    """Return the verdict on a claim, given the results of all its commands.

    If `differ` is true, the claim is that two sides differ, and a finding of agreement refutes the claim. If
    `differ` is false, one finding of a difference refutes the claim.
    """
    apart = [finding for finding in findings if finding.differ]
    alike = [finding for finding in findings if finding.differ is False]
    if differ:
        if alike:
            return "refuted", alike[0].theorem
        if len(apart) == len(findings):
            return "proven", apart[0].theorem or apart[0].witness
    elif apart:
        return "refuted", apart[0].witness or apart[0].theorem
    elif len(alike) == len(findings):
        return "proven", alike[0].theorem
    return _undecided([finding for finding in findings if finding.differ is None], differ=differ)


def _undecided(left: Sequence[_Finding], *, differ: bool) -> tuple[Kind, str]:
    counts = [int(finding.cases) for finding in left if finding.cases.isdecimal()]
    sentences = [finding.cases for finding in left if finding.cases and not finding.cases.isdecimal()]
    if differ or not (counts or sentences):
        return "open", next((finding.theorem for finding in left if finding.theorem), "")
    return "survived", "; ".join(
        dict.fromkeys([*([quantity(sum(counts), "case")] if counts else []), *sentences])
    )


def _findings(commands: Sequence[str]) -> Iterator[_Finding]:
    words = [shlex.split(command)[1:] for command in commands]
    if words[0][0] != "solve":
        for name, *parts in words:
            yield from _RUN[name](parts)
        return
    for (_, *first), (_, *second) in zip(words[::2], words[1::2], strict=True):
        yield _solved(first, second)


_Result = TypeVar("_Result")


def _call(function: Callable[..., _Result], words: Sequence[str]) -> _Result:
    """Run a command line by calling a function of `agreement.api`, and return its result."""
    inputs: list[str] = []
    options: dict[str, list[Any]] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("--"):
            inputs.append(word)
            continue
        alone = not left or left[0].startswith("--")
        name = word[2:].replace("-", "_")
        value: Any = True if alone else left.pop(0)
        if name.startswith("no_"):
            name, value = name[3:], False
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        options.setdefault({"from": "from_"}.get(name, name), []).append(value)
    return function(*inputs, **{name: each if each[1:] else each[0] for name, each in options.items()})


def _size(*parts: Collection[object]) -> str:
    return f"witness of {quantity(sum(map(len, parts)), 'triple')}"


def _witnessed(words: Sequence[str]) -> Iterator[_Finding]:
    for answer in _call(witness, words).periods:
        if answer.witness is not None or answer.holds or answer.search_end == "not searched":
            yield _finding(answer, by_stream=True)
        else:
            yield _Finding(None, cases=f"all streams of up to {quantity(answer.triples or 0, 'triple')}")


def _on_every_stream(words: Sequence[str]) -> Iterator[_Finding]:
    if {"--contained", "--equivalent"} & {*words}:
        rest = [word for word in words if word != "--contained"]
        yield from (_finding(answer, by_stream=True) for answer in _call(contained, rest).directions)
        return
    yield from map(_finding, _call(decide, words).verdicts)


def _finding(answer: Decision, *, by_stream: bool = False) -> _Finding:
    """Return the finding for a claim that a decision about all streams implies."""
    shown = answer.witness
    size = "" if shown is None else _size(shown.facts, shown.triples)
    return _Finding(
        None if answer.holds is None else not answer.holds, size, "" if shown and by_stream else answer.why
    )


def _judged(words: Sequence[str]) -> Iterator[_Finding]:
    result = _call(judge, words)
    windows = [verdict for verdict in result.verdicts if verdict.phase == "windows"]
    if result.correct is None:
        yield _Finding(None, theorem=str(result.undecided))
    elif result.correct:
        yield _Finding(None, cases=str(len(windows)))
    else:
        wrong = len(result.differences)
        yield _Finding(True, f"recording with {wrong} wrong of {quantity(len(windows), 'window')}")


def _solved(first: Sequence[str], second: Sequence[str]) -> _Finding:
    """Return whether two `lars solve` commands have different answers, or how many times were compared.

    Answers are compared at the times at which the first command has an answer. The atom `trigger` is ignored.
    """
    one, other = (_answers(_call(solve, words)) for words in (first, second))
    if any(other.get(t) != answers for t, answers in one.items()):
        return _Finding(True, _size(_elements(first)))
    return _Finding(None, cases=str(len(one)))


def _answers(result: SolveResult) -> Mapping[int, object]:
    """Return the rows by variable names, or the answer streams, at each time of a result."""
    return {
        at.t: (
            Counter(frozenset(zip(result.variables, row, strict=False)) for row in at.rows),
            [[atom for atom in stream if atom != "trigger"] for stream in at.streams],
        )
        for at in result.answers
    }


def _elements(words: Sequence[str]) -> list[str]:
    """Return the lines of the trace that a command line of `lars solve` names."""
    return Path(words[1]).read_text(encoding="utf-8").splitlines()


_RUN: Final[Mapping[str, Callable[[Sequence[str]], Iterator[_Finding]]]] = {
    "witness": _witnessed,
    "decide": _on_every_stream,
    "judge": _judged,
}
