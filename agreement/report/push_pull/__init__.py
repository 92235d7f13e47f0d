"""Push against pull on a stream: the page, its strip, timeline, differences and rules; pictures of it."""

from agreement.report.push_pull.agree_page import AgreeContent, agree_page, summary
from agreement.report.push_pull.figure import check_figure, write_figure
from agreement.report.push_pull.strip import small_html
