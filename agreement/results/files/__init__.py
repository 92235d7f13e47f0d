"""Commands that write files: runs of experiments, exports, synthetic streams."""
