"""Start the Python processes of Spark's tasks on this machine, as a program in place of `pyspark.daemon`.

The program imports what tasks need once, and forks each process.
"""

import gc
import sys


def main() -> None:
    """Import the modules of tasks, and serve Spark until Spark ends."""
    # Spark puts PySpark's zip files first, which Python would compile at each start.
    sys.path.sort(key=lambda entry: entry.endswith(".zip"))
    import pyarrow.parquet  # noqa: F401
    import pyspark.worker  # noqa: F401
    from pyspark.daemon import manager

    import solver.spark  # noqa: F401

    # After each task PySpark looks for garbage: what is imported is none.
    gc.freeze()
    manager()


if __name__ == "__main__":
    main()
