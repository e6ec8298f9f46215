"""Print the OpenAPI document: ``python -m linkwise.server.openapi > web/openapi.json``."""

from __future__ import annotations

import json
import sys
from tempfile import TemporaryDirectory

from linkwise.server.app import create_app


def main() -> None:
    """Write the document to the standard output."""
    with TemporaryDirectory() as folder:
        document = create_app(folder, token="none").openapi()
    json.dump(document, sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
