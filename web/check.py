"""Check the studio's page, with the Node that builds it.

    python web/check.py lint      types (svelte-check), habits (eslint) and format (prettier)
    python web/check.py test      unit tests of what needs no browser (vitest)
    python web/check.py format    let eslint and prettier rewrite the sources

With ``--fetch``, Node is installed as a Python package first, where there is none.
"""

from __future__ import annotations

import sys

from build import fetch_node, run_script

SCRIPTS = ("lint", "test", "format")


def main() -> None:
    """Run the script that is asked for."""
    asked = [argument for argument in sys.argv[1:] if argument != "--fetch"]
    if len(asked) != 1 or asked[0] not in SCRIPTS:
        raise SystemExit(f"python web/check.py takes one of {', '.join(SCRIPTS)}, got {asked}.")
    if "--fetch" in sys.argv:
        fetch_node()
    run_script(asked[0])


if __name__ == "__main__":
    main()
