"""What engines should answer: the reference semantics of RSP-QL (2014), its parameters as data."""
