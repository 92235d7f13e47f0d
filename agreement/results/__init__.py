"""What the commands do, as functions of Python values, and their results; `agreement.api` offers them."""
