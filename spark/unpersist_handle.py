"""Keeps rows in Spark until they are released."""

from typing import Self


class Handle:
    """`with … as handle:` releases it in the end, also after an error."""

    def release(self) -> None:
        """Free what is kept."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
