"""Names that users give, with the nearest valid one in the message."""

from __future__ import annotations

import difflib
from typing import Any

from . import _rhumb


def enum_value(enum: Any, name: Any, what: str) -> Any:
    """The member of a pybind11 enum by its name."""
    if isinstance(name, enum):
        return name
    members = enum.__members__
    if name in members:
        return members[name]
    near = difflib.get_close_matches(str(name), members, n=1, cutoff=0.0)
    raise _rhumb.BadInput(f"{what}: no '{name}'; nearest: '{near[0]}'; there are {', '.join(members)}")


def nearest(name: str, names: list[str], what: str) -> str:
    """The message for a name that is not there."""
    if not names:
        return f"no {what} '{name}': there is none"
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.0)
    return f"no {what} '{name}'; nearest: '{near[0]}'; there are {', '.join(names)}"
