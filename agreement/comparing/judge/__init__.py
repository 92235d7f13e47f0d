"""`lars judge`: decide whether an engine's answers are correct, and find the fault that explains errors."""

from agreement.comparing.judge.alignment import align
from agreement.comparing.judge.diagnosis import Shift, border_shifts
from agreement.comparing.judge.judgement import Judgement, best_first, judge_recording
from agreement.comparing.judge.judging import (
    ACCEPTED_JUDGES,
    ANSWERS_FORM,
    AT_EACH_PERIOD,
    RefusedCase,
    case_files,
    check_order,
    each_case,
    is_judge,
    lacks_step,
    pushes_at,
    read_judged_query,
    read_pushes,
    recording_to_judge,
    refusals_text,
    remarks_on,
    run_of_case,
    static_of_run,
    unit_of,
    why_silent,
)
from agreement.comparing.judge.verdicts import Verdict, measures
