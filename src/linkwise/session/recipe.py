"""A recipe: lines of Python that make the same labels from the data and the history alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from linkwise.session.data.description import Description
from linkwise.session.data.file import Columns

HISTORY = "history.jsonl"


def write_recipe(about: Description, made: Mapping[str, object], is_made: bool) -> str:
    """Return the lines.

    ``made`` are the parameters of the model; ``is_made`` tells whether rows are made of more than
    plain numbers, which are standardised or not.
    """
    options = [f"columns={_columns(about.columns)}"] if about.columns != Columns() else []
    options += [] if is_made else [f"standardise={about.standardised}"]
    options += [f"n_partitions={made['n_partitions']}", f"random_state={made['random_state']}"]
    told = f"    {', '.join(options)},\n"
    return (
        f"import tempfile\n"
        f"from linkwise.session import Columns, Session\n\n"
        f"data = {str(about.data.path)!r}\n"
        f"history = {HISTORY!r}  # Export: everything that was said\n"
        f"with Session.create(\n"
        f'    tempfile.mkdtemp() + "/again", data, {made["n_clusters"]!r},\n'
        f"{told}"
        f") as session:\n"
        f"    session.replay(history)\n"
        f"    labels = session.labels()\n"
    )


def _columns(columns: Columns) -> str:
    """Return the columns as Python, without what is as it is by default."""
    default = Columns()
    told = [
        f"{field.name}={getattr(columns, field.name)!r}"
        for field in fields(Columns)
        if getattr(columns, field.name) != getattr(default, field.name)
    ]
    return f"Columns({', '.join(told)})"
