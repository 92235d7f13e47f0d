"""Commands that write files: run, pack, record, watch, hunt, export, generate, init and fmt."""
