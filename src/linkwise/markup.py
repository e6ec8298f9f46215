"""Values as small tables of HTML, for notebooks.

Every text is escaped. Nothing has a colour of its own, so that light and dark themes are readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

#: Some pages give tables a colour and a font of their own.
_PLAIN = "color: inherit; font: inherit; text-align: left"
_SMALL = "margin: 0.2em 0; opacity: 0.75"


def html_table(
    heading: str,
    rows: Iterable[Sequence[object]],
    *,
    titles: Sequence[str] = (),
    note: str = "",
) -> str:
    """Return a heading, a table and a note; without rows there is no table.

    Examples
    --------
    >>> print(html_table("1 < 2", [("a", 1.5)], titles=("name", "share")))
    <div><strong>1 &lt; 2</strong>\
<table style="color: inherit; font: inherit; text-align: left"><thead>\
<tr><th>name</th><th>share</th></tr></thead><tbody><tr><td>a</td><td>1.5</td></tr></tbody></table></div>
    """
    head = "".join(f"<th>{_text(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    table = f'<table style="{_PLAIN}">{top}<tbody>{body}</tbody></table>' if body else ""
    last = f'<p style="{_SMALL}">{_text(note)}</p>' if note else ""
    return f"<div><strong>{_text(heading)}</strong>{table}{last}</div>"


def count(number: int, noun: str) -> str:
    """Return a number of things: ``1 row``, ``2 rows``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _text(value: object) -> str:
    return escape(str(value))
