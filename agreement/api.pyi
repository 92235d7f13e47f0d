"""The types of `agreement.api` for mypy: one keyword for each option of a command."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Required, TypedDict, Unpack

from agreement.comparing.agree import PeriodComparison as PeriodComparison
from agreement.comparing.agree.lateness import LateRow as LateRow
from agreement.comparing.agree.periods import PeriodVerdict as PeriodVerdict
from agreement.comparing.compare import DifferenceWithRules as DifferenceWithRules
from agreement.proving.decisions import CheckedPremise as CheckedPremise
from agreement.proving.decisions import Decision as Decision
from agreement.proving.decisions import EveryStream as EveryStream
from agreement.proving.decisions import Witness as Witness
from agreement.proving.lateness import LatenessDecision as LatenessDecision
from agreement.proving.lateness import LateWitness as LateWitness
from agreement.proving.phase import PhaseDiagram as PhaseDiagram
from agreement.proving.phase import PhaseRow as PhaseRow
from agreement.proving.shrinking import Sizes as Sizes
from agreement.results.agreements.agreeing import AgreementDifference as AgreementDifference
from agreement.results.agreements.agreeing import AgreeResult as AgreeResult
from agreement.results.agreements.lateness import LateResult as LateResult
from agreement.results.base.library import JsonObject as JsonObject
from agreement.results.base.library import JsonValue as JsonValue
from agreement.results.base.library import PrintedTexts as PrintedTexts
from agreement.results.base.library import WrittenFiles as WrittenFiles
from agreement.results.base.sources import ArrowTable as ArrowTable
from agreement.results.base.sources import Element as Element
from agreement.results.base.sources import StaticSource as StaticSource
from agreement.results.base.sources import TextSource as TextSource
from agreement.results.base.sources import TraceSource as TraceSource
from agreement.results.comparisons import CompareResult as CompareResult
from agreement.results.explanations import CheckResult as CheckResult
from agreement.results.explanations import ExplainResult as ExplainResult
from agreement.results.files.exports import ExportAnswers as ExportAnswers
from agreement.results.files.generated import GeneratedTrace as GeneratedTrace
from agreement.results.files.hunts import HuntResult as HuntResult
from agreement.results.files.packed import PackCheck as PackCheck
from agreement.results.files.recorded import AdapterVerdict as AdapterVerdict
from agreement.results.files.recorded import RecordResult as RecordResult
from agreement.results.files.runs import RunResult as RunResult
from agreement.results.judgements import JudgeResult as JudgeResult
from agreement.results.judgements import WindowVerdict as WindowVerdict
from agreement.results.logs.report import LogsResult as LogsResult
from agreement.results.proofs.contained import ContainmentResult as ContainmentResult
from agreement.results.proofs.lateness import LatenessResult as LatenessResult
from agreement.results.proofs.phases import PhaseResult as PhaseResult
from agreement.results.proofs.shrunk import ShrinkResult as ShrinkResult
from agreement.results.proofs.traceless import DecideResult as DecideResult
from agreement.results.proofs.traceless import WitnessResult as WitnessResult
from agreement.results.solutions import AnswerAt as AnswerAt
from agreement.results.solutions import SolveResult as SolveResult
from agreement.results.suites.suites import SuiteClaims as SuiteClaims
from agreement.results.suites.suites import SuiteMade as SuiteMade
from agreement.results.suites.suites import SuiteRun as SuiteRun
from agreement.results.translations import Translation as Translation
from lars.errors import FailedRunError as FailedRunError
from lars.errors import LarsError as LarsError
from lars.errors import Place as Place
from lars.errors import PlacedError as PlacedError
from solver.facts import Fact as Fact
from solver.settings import Progress

class ProgressKeyword(TypedDict, total=False):
    progress: Progress | None

class TraceOptions(TypedDict, total=False):
    stream: Mapping[str, TraceSource] | None
    unit: str | None
    trace_unit: str | None
    origin: str | datetime | None
    sort: bool
    blank_nodes: Literal["document", "element"] | None
    time: str | None
    column: Mapping[str, str | Mapping[str, str]] | None
    arrival: str | None
    null: str | Sequence[str] | None
    on_error: Literal["stop", "skip"]
    rejected: str | Path | None

class Around(TypedDict, total=False):
    base: str | None
    rdf: Literal["1.1", "1.2"] | None
    prefix: Mapping[str, str] | None
    readings: Mapping[str, str] | None

class InputOptions(TraceOptions, Around, total=False):
    static: StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None

class InterpretationOptions(TypedDict, total=False):
    profile: Literal["paper2015", "sparql11"] | None
    bounds: Literal["closed", "low-open", "high-open", "open"] | None
    trigger: Literal["any", "query-streams", "matching"] | None

class ComparisonOptions(InputOptions, InterpretationOptions, total=False):
    period: int | str | Sequence[int | str] | None
    assign: Mapping[str, Sequence[str]] | None
    on: str | Sequence[str] | None

class Runner(TypedDict, total=False):
    master: str | None
    in_process: bool
    evaluator: Literal["auto", "relational", "clingo", "both"]
    certify: Literal["all", "some", "none"] | int | None
    resume: str | Path | None

class EvaluationOptions(TypedDict, total=False):
    engine: (
        Literal["csparql", "cqels", "sparqlstream", "rspql", "kolibrie", "cqels2", "sparq", "janus"] | None
    )
    mode: Literal["push", "pull"] | None
    period: int | str | None

class ProgramOptions(InputOptions, EvaluationOptions, InterpretationOptions, total=False):
    semantics: Literal["set", "bag"] | None

class AnswersOptions(TypedDict, total=False):
    answers_format: (
        Literal["case", "csrbench", "yabench", "sparql-json", "csv", "tsv", "solve", "json"] | None
    )
    answers_unit: str | None
    time_variable: str | Sequence[str] | None
    rename: Mapping[str, str] | None

class TracelessOptions(Around, InterpretationOptions, total=False):
    period: int | str | Sequence[int | str] | None
    static: StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None
    unit: str | None
    assign: Mapping[str, Sequence[str]] | None

class AdapterOptions(TypedDict, total=False):
    silence: float
    options: Mapping[str, object] | None

class AgreeKeywords(ComparisonOptions, Runner, ProgressKeyword, total=False):
    from_: int | str | datetime | None
    to: int | str | datetime | None
    fail_on_empty: bool
    only_period: int | str | Sequence[int | str] | None
    cause: str | None
    side: Literal["push", "pull"] | None

class AgreeLateKeywords(ComparisonOptions, Runner, ProgressKeyword, total=False):
    from_: int | str | datetime | None
    to: int | str | datetime | None
    wait: int | str
    lateness: int | str | None
    only_period: int | str | Sequence[int | str] | None
    side: Literal["push", "pull"] | None

class CheckKeywords(ProgramOptions, ProgressKeyword, total=False):
    answer: Required[TextSource]
    at: Required[int | str | datetime]

class CheckPackKeywords(ProgressKeyword, total=False):
    jobs: int

class CompareKeywords(InputOptions, ProgressKeyword, total=False):
    t0: int | str | datetime | None
    bounds: Literal["closed", "low-open", "high-open", "open"] | None
    semantics: Literal["set", "bag"] | None
    tolerance: float
    times: bool
    fail_on_empty: bool
    wait: int | str
    lateness: int | str | None

class CompareLogsKeywords(AnswersOptions, InputOptions, ProgressKeyword, total=False):
    events: TraceSource | Sequence[TraceSource]
    query: TextSource | Sequence[TextSource]
    period: int | str | Sequence[int | str] | None
    window: int | str | Sequence[int] | None
    within: str | None
    tolerance: float
    times: bool
    fail_on_empty: bool
    wait: int | str
    lateness: int | str | None

class ContainedKeywords(Around, InterpretationOptions, ProgressKeyword, total=False):
    unit: str | None
    time_limit: float | None
    equivalent: bool
    rename: Mapping[str, str] | None

class DecideKeywords(TracelessOptions, ProgressKeyword, total=False):
    time_limit: float | None

class DecideLateKeywords(TracelessOptions, ProgressKeyword, total=False):
    time_limit: float | None
    delay: Required[int | str | None]
    wait: int | str

class ExplainKeywords(ProgramOptions, ProgressKeyword, total=False):
    atom: str | None
    at: int | str | datetime | None
    model: int | None

class ExportKeywords(ProgramOptions, ProgressKeyword, total=False):
    to: Required[Literal["ticker", "asp"]]
    out: Required[str | Path]
    overwrite: bool
    reasoner: Literal["clingo", "incremental"] | None
    clock: str | None
    from_: int | str | datetime | None
    until: int | str | datetime | None

class GenerateKeywords(ProgressKeyword, total=False):
    stations: int
    interval: str
    duration: str
    seed: int
    values: str
    walk: float | str | None
    arrivals: Literal["regular", "poisson"]
    bursts: str | None
    contemporaneous: int
    duplicates: float | str
    out_of_order: float | str
    delay: str | None
    streams: int
    stream_iri: str
    start: str
    unit: str | None
    trace_unit: str | None
    format: Literal["nquads", "ntriples", "yabench", "trig", "turtle", "csv", "parquet"] | None
    overwrite: bool
    master: str | None
    in_process: bool

class HuntKeywords(Around, AdapterOptions, ProgressKeyword, total=False):
    adapter: str | None
    engine: str | None
    out: str | Path | None
    time_limit: str | float
    runs: int | None
    faults: int | None
    seed: int
    static: StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None
    t0: int | str | Sequence[int] | None
    bounds: Literal["closed", "low-open", "high-open", "open"] | None
    late: float | None

class InitKeywords(Around, ProgressKeyword, total=False):
    period: int | str | Sequence[int | str] | None
    static: StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None
    stream: Mapping[str, TraceSource] | None
    unit: str | None
    trace_unit: str | None
    origin: str | datetime | None
    sort: bool
    blank_nodes: Literal["document", "element"] | None
    time: str | None
    column: Mapping[str, str | Mapping[str, str]] | None
    arrival: str | None
    null: str | Sequence[str] | None

class JudgeKeywords(AnswersOptions, InputOptions, ProgressKeyword, total=False):
    answers: TextSource | ArrowTable | None
    engine: str | None
    mode: Literal["push", "pull"] | None
    period: int | str | None
    t0: int | str | Sequence[int] | None
    match: Literal["time", "sequence"]
    registered: int | str | datetime
    until: int | str | datetime | None
    bounds: Literal["closed", "low-open", "high-open", "open"] | None
    semantics: Literal["set", "bag"] | None
    gracious: bool
    diagnosis: bool
    tolerance: float
    empty: Literal["compared", "ignored"]
    early: float
    late: float | None
    time_limit: float | None
    wait: int | str
    lateness: int | str | None
    static_at: str | Sequence[str] | None

class PackKeywords(ProgressKeyword, total=False):
    out: str | Path | None
    license: str | None
    jobs: int

class PhaseKeywords(InputOptions, InterpretationOptions, ProgressKeyword, total=False):
    length: int | str | Sequence[int]
    window: str | None
    rate: int | str | Sequence[int]
    period: int | str | Sequence[int | str] | None
    assign: Mapping[str, Sequence[str]] | None
    fail_on_empty: bool

class RecordKeywords(AdapterOptions, InputOptions, ProgressKeyword, total=False):
    adapter: str | None
    out: str | Path | None
    check: str | None
    log: str | Path | None

class RunKeywords(ProgressKeyword, total=False):
    out: str | Path | None
    jobs: int
    fresh: bool
    master: str | None
    fail_on_empty: bool

class ShrinkKeywords(InputOptions, InterpretationOptions, ProgressKeyword, total=False):
    period: int | str | Sequence[int | str] | None
    assign: Mapping[str, Sequence[str]] | None
    cause: str | None

class SolveKeywords(ProgramOptions, Runner, ProgressKeyword, total=False):
    from_: int | str | datetime | None
    to: int | str | datetime | None
    where: str | None
    models: int | Literal["all"] | None
    brave: bool
    cautious: bool
    show: str | None
    as_: str | None
    t0: int | str | datetime | None
    until: int | str | datetime | None
    as_stream: str | None

class SuiteKeywords(AdapterOptions, ProgressKeyword, total=False):
    adapter: str | None
    compare: str | Sequence[str] | None
    answers: str | Path | None
    level: str | None
    engine: str | None
    t0: int | str | None
    bounds: Literal["closed", "low-open", "high-open", "open"] | None
    label: Literal["evaluation", "inside", "arrival", "later"] | None
    dialect: str | None
    jobs: int
    time_limit: str | float | None
    out: str | Path | None
    benchmarks: str | Path | None
    messages: bool

class TranslateKeywords(Around, EvaluationOptions, InterpretationOptions, ProgressKeyword, total=False):
    static: StaticSource | Sequence[StaticSource] | Mapping[str, StaticSource] | None
    stream: Mapping[str, TraceSource] | None
    unit: str | None
    trace_unit: str | None
    origin: str | datetime | None
    sort: bool
    blank_nodes: Literal["document", "element"] | None
    time: str | None
    column: Mapping[str, str | Mapping[str, str]] | None
    arrival: str | None
    null: str | Sequence[str] | None
    semantics: Literal["set", "bag"] | None
    to: Literal["csparql", "cqels", "sparqlstream", "rspql", "kolibrie", "cqels2", "sparq", "janus"] | None
    step: str | None
    variant: str | None
    strict: (
        Literal[
            "csparql-0.9.7",
            "cqels-1.x",
            "rsp4j",
            "rsp-js",
            "rsp-rs",
            "kolibrie",
            "janus",
            "cqels4j",
            "cqels-rs",
        ]
        | None
    )
    assign: Mapping[str, Sequence[str]] | None
    at: int | str | datetime | None
    format: Literal["lars", "ascii", "asp", "model", "json", "sql", "ticker", "idlv-sr", "latex"]

class WitnessKeywords(TracelessOptions, ProgressKeyword, total=False):
    enumerate_: int
    cause: str | None
    triples: int | None
    any_source: bool
    same_input: bool
    sides: str | None
    time_limit: float
    contained: bool

def agree(*inputs: TraceSource, **options: Unpack[AgreeKeywords]) -> AgreeResult: ...
def agree_late(*inputs: TraceSource, **options: Unpack[AgreeLateKeywords]) -> LateResult: ...
def check(program: TextSource, /, *trace: TraceSource, **options: Unpack[CheckKeywords]) -> CheckResult: ...
def check_pack(experiment: str | Path, /, **options: Unpack[CheckPackKeywords]) -> PackCheck: ...
def cite(*commands: str | Sequence[str] | None, **options: Unpack[ProgressKeyword]) -> PrintedTexts: ...
def compare(
    first: str, second: str, /, *inputs: TraceSource, **options: Unpack[CompareKeywords]
) -> CompareResult: ...
def compare_logs(
    first: TextSource, second: TextSource, /, **options: Unpack[CompareLogsKeywords]
) -> LogsResult: ...
def contained(*inputs: TraceSource, **options: Unpack[ContainedKeywords]) -> ContainmentResult: ...
def decide(*inputs: TraceSource, **options: Unpack[DecideKeywords]) -> DecideResult: ...
def decide_late(*inputs: TraceSource, **options: Unpack[DecideLateKeywords]) -> LatenessResult: ...
def explain(*inputs: TraceSource, **options: Unpack[ExplainKeywords]) -> ExplainResult: ...
def export(
    program: TextSource, /, *trace: TraceSource, **options: Unpack[ExportKeywords]
) -> WrittenFiles: ...
def generate(out: str | Path, /, **options: Unpack[GenerateKeywords]) -> GeneratedTrace: ...
def hunt(
    *inputs: str | Path | Sequence[str | Path] | None, **options: Unpack[HuntKeywords]
) -> HuntResult: ...
def init(folder: str | Path, /, *inputs: TraceSource, **options: Unpack[InitKeywords]) -> WrittenFiles: ...
def judge(*inputs: TraceSource, **options: Unpack[JudgeKeywords]) -> JudgeResult: ...
def pack(experiment: str | Path | None = ..., /, **options: Unpack[PackKeywords]) -> WrittenFiles: ...
def phase(*inputs: TraceSource, **options: Unpack[PhaseKeywords]) -> PhaseResult: ...
def read_export(
    output: TextSource, legend: str | Path, /, **options: Unpack[ProgressKeyword]
) -> ExportAnswers: ...
def record(*inputs: TraceSource, **options: Unpack[RecordKeywords]) -> RecordResult | AdapterVerdict: ...
def run(experiment: str | Path | None = ..., /, **options: Unpack[RunKeywords]) -> RunResult: ...
def shrink(*inputs: TraceSource, **options: Unpack[ShrinkKeywords]) -> ShrinkResult: ...
def solve(program: TextSource, /, *trace: TraceSource, **options: Unpack[SolveKeywords]) -> SolveResult: ...
def suite(
    *inputs: str | Path | Sequence[str | Path] | None, **options: Unpack[SuiteKeywords]
) -> SuiteMade | SuiteRun | SuiteClaims: ...
def translate(
    query: TextSource, /, *trace: TraceSource, **options: Unpack[TranslateKeywords]
) -> Translation: ...
def witness(*inputs: TraceSource, **options: Unpack[WitnessKeywords]) -> WitnessResult: ...
