"""How rows were made of texts, pictures and mixed tables, kept with the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from linkwise.errors import LinkwiseError
from linkwise.files.headed import read_array, write_arrays
from linkwise.session.errors import SessionError

if TYPE_CHECKING:
    from linkwise.features import TableFeatures

FOLDER = "features"
_HEADER = "features.json"


def write_features(folder: Path, features: TableFeatures) -> None:
    """Write what is needed to make such rows again into a session's folder."""
    header, arrays = features.to_arrays()
    place = folder / FOLDER
    place.mkdir()
    write_arrays(place, arrays)
    told = {"header": header, "arrays": list(arrays)}
    (place / _HEADER).write_text(json.dumps(told) + "\n", encoding="utf-8")


def read_features(folder: Path) -> TableFeatures | None:
    """Return what :func:`write_features` wrote; None where rows are plain numbers."""
    from linkwise.features import TableFeatures

    place = folder / FOLDER
    if not place.is_dir():
        return None
    try:
        told = json.loads((place / _HEADER).read_text(encoding="utf-8"))
        arrays = {name: read_array(place, name, "features") for name in told["arrays"]}
        return TableFeatures.from_arrays(told["header"], arrays)
    except LinkwiseError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise SessionError(
            f"{place / _HEADER} is damaged, so no new rows can be made like those of the session. "
            f"Take the folder {FOLDER} from a backup; all else works without it."
        ) from error
