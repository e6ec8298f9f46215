"""Lets the tests of this folder share ``drawn_links``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
