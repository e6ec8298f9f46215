"""News become the changelog: every file in `changes/` is one of its items.

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


def items(folder: Path) -> dict[Path, str]:
    """Return each file of news and its item in the changelog, in order of the names."""
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    return {path: _item(path.read_text(encoding="utf-8")) for path in files}


def _item(text: str) -> str:
    return textwrap.indent(text.strip(), "  ").replace("  ", "- ", 1)


def released(changelog: str, version: str, day: str, news: list[str]) -> str:
    """Return the changelog with ``news`` under ``version``, which is released on ``day``."""
    heading = f"## {version} ({day})"
    waiting = f"## {version} {NOT_YET}"
    if waiting not in changelog:
        first = re.search(r"^## ", changelog, flags=re.MULTILINE)
        place = first.start() if first else len(changelog)
        changelog = f"{changelog[:place]}{waiting}\n\n{changelog[place:]}"
    before, _, after = changelog.partition(waiting)
    section, next_heading, older = after.partition("\n## ")
    section = "\n".join([section.rstrip("\n"), *news])
    if "\n- " not in after.partition("\n## ")[0]:
        section = "\n\n" + "\n".join(news)
    return f"{before}{heading}{section}\n" + (f"\n## {older}" if next_heading else "")


def version() -> str:
    """Return the version, from the one place that says it."""
    text = (ROOT / "src" / "linkwise" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)[0]


def main() -> None:
    """Print the news, or write and remove them."""
    news = items(ROOT / "changes")
    if "--release" not in sys.argv:
        print("\n".join(news.values()))  # noqa: T201
        return
    path = ROOT / "CHANGELOG.md"
    day = datetime.date.today().isoformat()
    text = released(path.read_text(encoding="utf-8"), version(), day, list(news.values()))
    path.write_text(text, encoding="utf-8")
    for file in news:
        file.unlink()


if __name__ == "__main__":
    main()
