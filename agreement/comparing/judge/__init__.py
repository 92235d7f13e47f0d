"""`lars judge`: is an engine's answer correct, for which start times, and the fault that explains it."""

from agreement.comparing.judge.diagnosis import Shift, border_shifts
from agreement.comparing.judge.judge_inputs import (
    ANSWERS_FORM,
    check_order,
    pushes_at,
    read_judged_query,
    read_pushes,
    recording_to_judge,
    run_of_case,
    static_of_run,
    unit_of,
    why_silent,
    with_text,
)
from agreement.comparing.judge.judgement import Judgement, judge_recording
from agreement.comparing.judge.judging import (
    ACCEPTED_JUDGES,
    RefusedCase,
    all_refused,
    case_files,
    each_case,
    is_judge,
)
from agreement.comparing.judge.verdict import JudgedWindow, Options, Verdict, align, measures
