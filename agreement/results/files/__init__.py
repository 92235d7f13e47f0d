"""Commands that write files: run, pack, record, hunt, export, generate, init and fmt."""
