"""Evaluate a slice of the timeline in a task of Spark, in a child process that may fail.

Python workers serve many tasks, and if a worker ends, its job fails. Work that may need too much memory
therefore runs in a child process. The task keeps the results that the child process has already sent. Results
that the child process has not sent are computed again, on shorter parts of the slice.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from signal import SIGKILL
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Final, TypeVar

from lars.dataclass import dataclass
from lars.errors import DisputedAnswerError, FailedRunError, LarsError, OutOfMemoryError
from lars.language.windows import Interval
from solver import memory
from solver.columns import TermCodes, TraceColumns, in_time_order
from solver.facts import Background
from solver.job import certified_part
from solver.job.evaluation import answers_in
from solver.job.slices import Job
from solver.relational import EncodedSituation, situation_of
from solver.spark.finished_slices import FinishedSlices
from solver.spark.task_bytes import Part, PartKind, answered_part, pack_rows, unpack_atoms

if TYPE_CHECKING:
    from pyspark import Broadcast

Payload = TypeVar("Payload")
Result = TypeVar("Result")
_SPLITS: Final = 3
"""The number of times that a task without enough memory halves its work, which gives at most eight parts."""
_PAUSE: Final = 0.2


@dataclass(frozen=True, slots=True)
class SliceTask:
    """The function that Spark tasks call to evaluate slices, with the data that all tasks of a job need.

    - `job` is the job, and `slices` are its slices of the timeline.
    - `missing` are the numbers of the slices without a stored result; each of them has one task.
    - `background` is the part of the background that the questions can use, which Spark sends once to each
      executor; the job itself contains no background.
    - `most` is the number of bytes of memory that a task may use.
    - `finished` is the folder for the results of finished slices, or None.
    """

    job: Job
    slices: tuple[Interval, ...]
    missing: Sequence[int]
    background: "Broadcast[Background]"
    most: int
    finished: FinishedSlices | None

    def __call__(self, index: int, values: Iterable[tuple[int, bytes]]) -> Iterator[Part]:
        """Yield the results of the missing slice number `index`, whose atoms are given as bytes."""
        memory.watch_task(self.most)
        number, terms = self.missing[index], TermCodes()
        atoms = in_time_order(unpack_atoms((content for _, content in values), terms))
        within = self.slices[number]
        columns, background = TraceColumns(terms, atoms, within.last), self.background.value
        situation = situation_of(columns, self.job.timeline, background)
        parts = list(self._parts(situation, within, range(len(self.job.questions)), _SPLITS))
        if self.finished is not None and all(part.kind is PartKind.ANSWERS for part in parts):
            self.finished.keep(number, parts)
        yield from parts

    def _parts(
        self, situation: EncodedSituation, within: Interval, numbers: Sequence[int], splits: int
    ) -> Iterator[Part]:
        done = 0
        for part in _in_child(lambda tell: self._evaluate(situation, within, numbers, tell)):
            done += 1
            if part.kind is not PartKind.EXHAUSTED:
                yield part
                continue
            if done > len(numbers):
                return  # all results were sent before memory ran out
            number = numbers[done - 1]
            times = situation.times(self.job.questions[number].gate, within).tolist()
            if splits and len(times) > 1:
                middle = times[len(times) // 2]
                for half in (Interval(within.first, middle - 1), Interval(middle, within.last)):
                    yield from self._parts(situation, half, (number,), splits - 1)
            elif times:
                yield part._replace(question=number, first=times[0], last=times[-1])
            yield from self._parts(situation, within, numbers[done:], splits)

    def _evaluate(
        self,
        situation: EncodedSituation,
        within: Interval,
        numbers: Sequence[int],
        tell: Callable[[Part], None],
    ) -> None:
        for number in numbers:
            try:
                tell(self._answered(number, situation, within))
                continue
            except DisputedAnswerError as error:
                kind = PartKind.DISPUTED
                content = json.dumps((str(error), dict(error.files), error.options)).encode()
            except OutOfMemoryError as error:
                # What asks for a part is asked again in its place: of half the times, then of the rest.
                tell(Part(0, PartKind.EXHAUSTED, 0, 0, str(error).encode()))
                return
            except LarsError as error:
                kind = PartKind.FAILED if isinstance(error, FailedRunError) else PartKind.REFUSED
                content = str(error).encode()
            tell(Part(number, kind, within.first, within.last, content))

    def _answered(self, number: int, situation: EncodedSituation, within: Interval) -> Part:
        job, question = self.job, self.job.questions[number]
        if question.predicate is None:
            content = pack_rows(answers_in([question], situation, within, job.evaluator))
            return Part(number, PartKind.ANSWERS, within.first, within.last, content, len(content))
        how = job.evaluator, job.certify, len(self.slices)
        runs = certified_part(question, situation, within, *how)
        return answered_part(number, within, runs)


def worked_slices(
    find: Callable[[EncodedSituation, Payload], Result],
    timeline: Interval,
    background: "Broadcast[Background]",
    most: int,
    values: Iterable[tuple[int, bytes | tuple[Payload]]],
) -> Iterator[tuple[int, Result | LarsError]]:
    """Yield the number of each slice of a task, with the result of `find` or an error.

    Args:
        find: The function that computes the result from the input of the slice and a payload.
        timeline: The timeline of the trace.
        background: The background, which Spark sends once to each executor.
        most: The memory of the task in bytes.
        values: Pairs of the number of a slice, and atoms of the slice or the payload of `find`.
    """
    memory.watch_task(most)
    contents: defaultdict[int, list[bytes]] = defaultdict(list)
    shares: list[tuple[int, Payload]] = []
    for number, content in values:
        if isinstance(content, bytes):
            contents[number].append(content)
        else:
            shares.append((number, *content))
    for number, payload in shares:
        terms = TermCodes()
        columns = TraceColumns(
            terms, in_time_order(unpack_atoms(contents.pop(number, ()), terms)), timeline.last
        )
        try:
            yield number, find(situation_of(columns, timeline, background.value), payload)
        except FailedRunError as error:
            yield number, FailedRunError(str(error))
        except LarsError as error:
            yield number, LarsError(str(error))


_KILLED: Final = (
    "the operating system ended the evaluation of a slice, as it does if memory is short; use a smaller "
    "--memory or fewer tasks at a time"
)


def _in_child(work: Callable[[Callable[[Part], None]], None]) -> Iterator[Part]:
    """Run `work` in a forked process, and yield its results; lack of memory is reported as the last part."""
    # A copy, since it begins with the input in its memory: nothing is sent there.
    context = get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_tell, args=(work, sending, os.getpid()), daemon=True)
    child.start()
    sending.close()
    try:
        while True:
            yield Part(*receiving.recv())
    except EOFError:
        child.join()
    finally:
        child.kill()
        child.join()
        receiving.close()
    if child.exitcode == -SIGKILL:
        yield Part(0, PartKind.EXHAUSTED, 0, 0, _KILLED.encode())
    elif child.exitcode:
        raise ChildProcessError(f"the process of a slice ended with {child.exitcode}")


def _tell(work: Callable[[Callable[[Part], None]], None], sending: Connection, parent: int) -> None:
    talking = Lock()

    def tell(part: Part) -> None:
        with talking:
            sending.send(tuple(part))

    def stop(sentence: str) -> None:
        talking.acquire()
        sending.send((0, PartKind.EXHAUSTED, 0, 0, sentence.encode()))
        os._exit(0)

    Thread(target=_follow, args=(parent,), daemon=True).start()
    memory.watch(stop)
    work(tell)
    talking.acquire()  # nothing is sent after the end
    sending.close()


def _follow(parent: int) -> None:
    """End this child process when its parent process ends, because nothing else would end it."""
    while os.getppid() == parent:
        sleep(_PAUSE)
    os._exit(memory.FAILED)
