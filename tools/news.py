"""News become the changelog: every paragraph in `changes/` is one of its items.

python tools/news.py              print the items as they will stand
python tools/news.py --release    write them into CHANGELOG.md and remove the files
"""

from __future__ import annotations

import datetime
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_YET = "(not released yet)"
#: What one may have to do something about comes first.
HEADINGS = ("Deprecated", "Changed", "New", "Better", "Fixed")


def files(folder: Path) -> list[Path]:
    """Return the files of news, in order of their names."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def collected(folder: Path) -> str:
    """Return all news as they will stand in the changelog, under headings."""
    items: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    for path in files(folder):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8").strip()):
            heading, text = _sorted(paragraph)
            items[heading].append(_item(text))
    return "\n\n".join(
        f"### {heading}\n\n" + "\n".join(told) for heading, told in items.items() if told
    )


def _sorted(paragraph: str) -> tuple[str, str]:
    """Return the heading that a paragraph belongs under, and what it says there."""
    kind, _, rest = paragraph.removeprefix("**").partition(".** ")
    if kind in HEADINGS:
        return kind, rest
    return "New" if paragraph.startswith("**") else "Better", paragraph


def _item(text: str) -> str:
    """Return a list item; links lead from the changelog, one folder above the news."""
    return textwrap.indent(text.replace("](../", "]("), "  ").replace("  ", "- ", 1)


def released(changelog: str, version: str, day: str, news: str) -> str:
    """Return the changelog with ``news`` under ``version``, which is released on ``day``."""
    waiting = f"## {version} {NOT_YET}"
    if waiting not in changelog:
        first = re.search(r"^## ", changelog, flags=re.MULTILINE)
        place = first.start() if first else len(changelog)
        changelog = f"{changelog[:place]}{waiting}\n\n{changelog[place:]}"
    before, _, after = changelog.partition(waiting)
    section, next_heading, older = after.partition("\n## ")
    section = f"{section.rstrip()}\n\n{news}\n"
    return f"{before}## {version} ({day}){section}{next_heading}{older}"


def version() -> str:
    """Return the version, from the one place that says it."""
    text = (ROOT / "src" / "linkwise" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)[0]


def main() -> None:
    """Print the news, or write and remove them."""
    news = collected(ROOT / "changes")
    if "--release" not in sys.argv:
        print(news)  # noqa: T201
        return
    path = ROOT / "CHANGELOG.md"
    day = datetime.date.today().isoformat()
    text = released(path.read_text(encoding="utf-8"), version(), day, news)
    path.write_text(text, encoding="utf-8")
    for file in files(ROOT / "changes"):
        file.unlink()


if __name__ == "__main__":
    main()
