"""`lars compare`: where two specifications or engine versions part on a trace, and which rule parts them."""

from agreement.comparing.compare.sides import reporter
