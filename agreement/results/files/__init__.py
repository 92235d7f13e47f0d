"""What leaves files behind: runs of experiments, exports, made-up streams."""
