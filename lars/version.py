"""The version of this program."""


def program_version() -> str:
    """Return the version of this program, as it is installed."""
    # Loads what reads e-mail.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lars-rsp")
    except PackageNotFoundError:
        return "not installed"
