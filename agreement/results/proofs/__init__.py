"""What can happen, beyond one trace: diagrams over periods and lengths, verdicts and witnesses in general."""
