"""Pages that show a verdict: one HTML file each, which needs no server and no network."""

from agreement.report.agree_page import AgreeContent, agree_page, summary
from agreement.report.figure import check_figure, write_figure
from agreement.report.page import Page, check_page, write_page
from agreement.report.run_page import run_page
from agreement.report.strip import small_html
from agreement.report.text_pages import judge_page, text_page
