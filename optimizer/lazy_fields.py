"""Fields of a dataclass that are made when somebody reads them."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def lazy(make: Callable[..., T], *arguments: Any) -> T:
    """What `make` returns, to stand in fields of `lazy_fields` until one of them is read."""
    return cast(T, _Lazy(make, arguments))


def lazy_fields(*fields: str) -> Callable[[type[T]], type[T]]:
    """Let these fields of a dataclass take what `later` gives for them.

    Whoever reads a field gets its value, and so do comparisons, `repr` and `replace`.
    """

    def prepared(of: type[T]) -> type[T]:
        for name in fields:
            setattr(of, name, _Field(name))
        return of

    return prepared


class _Lazy:
    """A value that is made once, however many fields it stands in."""

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._make, self._arguments = make, arguments
        self._made: list[Any] = []

    def value(self) -> Any:
        if not self._made:
            self._made.append(self._make(*self._arguments))
        return self._made[0]


class _Field:
    """Stands in front of an instance's own dictionary, where the value is or will be."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError(f"{owner.__name__} has {self._name} in its instances alone")
        value = vars(instance)[self._name]
        if isinstance(value, _Lazy):
            value = vars(instance)[self._name] = value.value()
        return value

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self._name] = value
