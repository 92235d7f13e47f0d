"""The decorator `dataclass`, which creates frozen classes in a fifth of the standard library's time.

A short command of lars creates two hundred frozen classes. For each frozen class, the standard library
compiles six functions, which takes a fifth of the time of a short command. This decorator compiles a method
that differs between classes when the method is first called: most classes never use some of these methods.
All classes share the other methods. The fields of the class, and its behavior with `replace`, `match` and
type checkers, are the same as with the standard library; a test compares both decorators.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        kind: type | None = None,
        /,
        *,
        frozen: bool = False,
        repr: bool = True,  # noqa: A002  (the standard library's name)
        eq: bool = True,
        order: bool = False,
        **others: bool,
    ) -> Any:
        """Return the class as a dataclass; the options mean the same as for `dataclasses.dataclass`."""
        if not frozen:
            return dataclasses.dataclass(kind, repr=repr, eq=eq, order=order, **others)

        def made(kind: type) -> type:
            with_fields = dataclasses.dataclass(kind, init=False, repr=False, eq=False, **others)
            return _add_methods(with_fields, with_repr=repr, eq=eq, order=order)

        return made if kind is None else made(kind)


_COMPARISON: Final = """
def {name}(self, other):
    if other.__class__ is self.__class__:
        return {own} {sign} {others}
    return NotImplemented
"""
_ORDER: Final = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_SIGNS: Final = {"__eq__": "==", **_ORDER}


def _add_methods(kind: type, *, with_repr: bool, eq: bool, order: bool) -> type:
    """Add the methods of a frozen dataclass to a class, except methods that the class defines itself."""
    compiled = ["__init__", *(("__eq__", "__hash__") if eq else ()), *(_ORDER if order else ())]
    methods = {name: _compiled_on_call(kind, name) for name in compiled}
    if with_repr:
        methods["__repr__"] = _repr
    shared = _FROZEN | _PICKLED if "__slots__" in vars(kind) else _FROZEN
    for name, method in (methods | shared).items():
        # A class that defines __eq__ has None as __hash__.
        if vars(kind).get(name) is None:
            setattr(kind, name, method)
    return kind


def _compiled_on_call(kind: type, name: str) -> Any:
    """Return a method of a class that compiles its text at the first call, and then is replaced."""

    def method(self: Any, *values: Any, **keywords: Any) -> Any:
        names: dict[str, Any] = {"_set_field": object.__setattr__, "_MADE": _MADE}
        exec(_text(kind, name, names), names)  # noqa: S102  (the standard library does so too)
        setattr(kind, name, names[name])
        return names[name](self, *values, **keywords)

    return method


def _text(kind: type, name: str, names: dict[str, Any]) -> str:
    """Return the source text of a method, and add the defaults of fields to `names`."""
    fields = dataclasses.fields(kind)
    compared = [field.name for field in fields if field.compare]
    own, others = (f"({''.join(f'{one}.{name}, ' for name in compared)})" for one in ("self", "other"))
    if name == "__init__":
        return _init_text(kind, fields, names)
    if name == "__hash__":
        return f"def __hash__(self):\n    return hash({own})\n"
    return _COMPARISON.format(name=name, own=own, sign=_SIGNS[name], others=others)


_MADE: Final = object()
"""The default of a parameter whose field gets a new value for each instance."""


def _init_text(kind: type, fields: tuple[dataclasses.Field[Any], ...], names: dict[str, Any]) -> str:
    """Return the source text of `__init__`, and add the defaults of fields to `names`."""
    positional, keywords, lines = ["self"], list[str](), list[str]()
    for field in fields:
        name, value = field.name, field.name
        default = ""
        if field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            default = f"=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"] = field.default_factory
            default = "=_MADE"
            value = f"_make_{name}() if {name} is _MADE else {name}" if field.init else f"_make_{name}()"
        if field.init:
            (keywords if field.kw_only else positional).append(f"{name}{default}")
        elif default == f"=_default_{name}":
            value = f"_default_{name}"
        elif not default:
            continue
        lines.append(f"    _set_field(self, {name!r}, {value})\n")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    parameters = ", ".join([*positional, *(["*", *keywords] if keywords else [])])
    return f"def __init__({parameters}):\n{''.join(lines) or '    pass'}\n"


def _repr(self: Any) -> str:
    parts = (
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(parts)})"


def _set_attribute(self: Any, name: str, value: object) -> None:  # noqa: ARG001
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete_attribute(self: Any, name: str) -> None:  # noqa: ARG001
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN: Final = {"__setattr__": _set_attribute, "__delattr__": _delete_attribute}
_PICKLED: Final = {"__getstate__": _state, "__setstate__": _set_state}
"""The methods that pickle and unpickle instances whose slots cannot be assigned."""
