"""Pages that show a verdict: one HTML file each, which needs no server and no network."""

from agreement.report.blocks import notebook_html
from agreement.report.decide_page import DecideContent, decide_page
from agreement.report.page import Page, check_page, write_page
from agreement.report.phase_page import PhaseContent, phase_page
from agreement.report.push_pull import (
    AgreeContent,
    agree_page,
    check_figure,
    small_html,
    summary,
    write_figure,
)
from agreement.report.run_page import run_page
from agreement.report.text_pages import PageHead, judge_page, text_page
from agreement.report.witness_page import shrink_page, witness_page
