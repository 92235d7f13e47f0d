"""The module behind the command `lars`, `python -m agreement.cli` and spark-submit."""

import gc


def main() -> None:
    """Run the command `lars` as a separate process."""
    # Nearly all that is loaded and read stays: looking through it for garbage takes a tenth of a short run.
    gc.set_threshold(200_000, 20, 50)
    from solver.memory import guard_imports

    guard_imports()
    from agreement.cli.app import main as started

    gc.freeze()
    started()


if __name__ == "__main__":
    main()
