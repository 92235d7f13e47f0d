"""`python -m agreement` and spark-submit run the command `lars`."""

from agreement.cli import main

if __name__ == "__main__":
    main()
