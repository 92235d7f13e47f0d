"""The commands of `lars`, one file each; importing this package makes them known to the app."""

from agreement.commands import (
    agree,
    check,
    compare,
    explain,
    export,
    fmt,
    generate,
    judge,
    run,
    solve,
    translate,
)
