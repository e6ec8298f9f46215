"""What a table is grouped by and what was left out of it, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwise.tables.choice import Table

#: The plural of every role, in the order in which they are told.
_KINDS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "text": "texts",
    "picture": "pictures",
    "vector": "vectors",
}
_MOST_NAMED = 8


def grouped_by(table: Table) -> str:
    """Return the columns that a table is grouped by: "note (text), height and weight (numbers)".

    Examples
    --------
    >>> from linkwise.features import Role
    >>> roles = {"town": Role("category", "as told"), "age": Role("number", "as told")}
    >>> grouped_by(Table(None, ["town", "age"], roles=roles))
    'age (number) and town (category)'
    """
    if not table.roles:
        return f"{len(table.features)} numbers" if len(table.features) != 1 else "1 number"
    return in_words({name: table.roles[name].name for name in table.features})


def in_words(roles: Mapping[str, str]) -> str:
    """Return columns with what they are; of many of a kind, the first ones."""
    parts = []
    for role, plural in _KINDS.items():
        names = [name for name, its_role in roles.items() if its_role == role]
        if len(names) > _MOST_NAMED:
            parts.append(f"{len(names)} {plural} ({', '.join(names[:_MOST_NAMED])}, ...)")
        elif names:
            parts.append(f"{listed(names)} ({role if len(names) == 1 else plural})")
    return listed(parts)


def left_out(columns: Mapping[str, str]) -> str:
    """Return what was left out and why, as the rest of a line; nothing if nothing was."""
    if not columns:
        return ""
    reasons = [f"{name} ({why})" for name, why in columns.items()]
    more = f" and {len(reasons) - _MOST_NAMED} more" if len(reasons) > _MOST_NAMED else ""
    return f" Left out: {', '.join(reasons[:_MOST_NAMED])}{more}."


def why_not(columns: Mapping[str, str]) -> str:
    """Return a sentence for each column that cannot be used, and one for those beyond the first.

    Examples
    --------
    >>> why_not({"nr": "it counts the rows", "note": "it is empty"})
    ' "nr": it counts the rows. "note": it is empty.'
    """
    told = [f' "{name}": {why}.' for name, why in list(columns.items())[:_MOST_NAMED]]
    more = len(columns) - len(told)
    rest = "1 more column is" if more == 1 else f"{more} more columns are"
    return "".join([*told, f" {rest} no better." if more else ""])


def listed(names: Sequence[str]) -> str:
    """Return names as people list them: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
