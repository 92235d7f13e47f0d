"""Each row of the tables about queries, by an example of it."""

import re

import pytest

from tests.manuals.pages import PAGES, rows, snippets
from tests.manuals.running import copied, run

PAGE = "translate/README.md"
