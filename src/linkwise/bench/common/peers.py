"""Other packages, in an environment of their own with pinned versions.

They need older libraries than linkwise does, so each cell is a program run there
(``peer_program.py``), which reads arrays and writes arrays.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.bench.common.tasks import Kind, Oracle
from linkwise.constraints import Links, PartialLabels
from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.typing import Matrix, is_csr

PROGRAM = Path(__file__).with_name("peer_program.py")
#: Tells child processes where the environment is.
PLACE = "LINKWISE_BENCH_PEERS"
#: What all peers can live with.
BASE = ("numpy==1.26.4", "scipy==1.11.4", "scikit-learn==1.3.2")
#: What is installed for each package, which may not say itself all that it needs.
PACKAGES: dict[str, tuple[str, ...]] = {
    "active-semi-supervised-clustering": ("active-semi-supervised-clustering==0.0.1",),
    "metric-learn": ("metric-learn==0.7.0",),
    "cobras-ts": ("cobras-ts==0.1.3", "tornado==6.6.1", "bokeh==3.9.2", "datashader==0.19.1"),
    "k-means-constrained": ("k-means-constrained==0.7.3",),
    "cognitivefactory-interactive-clustering": ("cognitivefactory-interactive-clustering==1.0.0",),
}


@dataclass(frozen=True)
class Peer:
    """A method of another package, and what the same is called here."""

    package: str
    kinds: frozenset[Kind]
    ours: str | None = None


_LINKS = frozenset[Kind](("links",))
_ASKED = frozenset[Kind](("asked",))
_ACTIVE, _METRIC = "active-semi-supervised-clustering", "metric-learn"
#: Names end in what package they are of; ``peer_program.py`` knows what to call.
PEERS = {
    "PCKMeans (asc)": Peer(_ACTIVE, _LINKS, "PCKMeans"),
    "MPCKMeans (asc)": Peer(_ACTIVE, _LINKS, "MPCKMeans"),
    "COPKMeans (asc)": Peer(_ACTIVE, _LINKS, "COPKMeans"),
    "MinMax + MPCKMeans (asc)": Peer(_ACTIVE, _ASKED),
    "ITML + k-means (metric-learn)": Peer(_METRIC, _LINKS, "ITML + k-means"),
    "MMC + k-means (metric-learn)": Peer(_METRIC, _LINKS, "PGDM + k-means"),
    "SDML + k-means (metric-learn)": Peer(_METRIC, _LINKS, "SDML + k-means"),
    "COBRAS (cobras-ts)": Peer("cobras-ts", _ASKED, "COBRAS"),
    "KMeansConstrained (k-means-constrained)": Peer(
        "k-means-constrained", frozenset(("none",)), "SizedKMeans"
    ),
    "COP k-means (cognitivefactory)": Peer(
        "cognitivefactory-interactive-clustering", _LINKS, "COPKMeans"
    ),
}


class PeerFailed(LinkwiseError):
    """A peer broke over a cell."""


class PeerMissing(PeerFailed):
    """A peer is not there: it could not be installed, or nobody has tried."""


@dataclass(frozen=True, eq=False)
class Answered:
    """Labels of a peer, and what they cost inside its own process."""

    labels: NDArray[Any]
    seconds: float
    memory_mb: float


def prepare(folder: Path, say: Callable[[str], None]) -> dict[str, str]:
    """Set the environment up; return the version of each package, or what went wrong.

    A package that cannot be installed does not keep the others from taking part. What is installed
    stays; what is not is tried again, as there may have been no network.
    """
    os.environ[PLACE] = str(folder.resolve())
    record = folder / "installed.json"
    state: dict[str, str] = {}
    if record.exists():
        state = json.loads(record.read_text(encoding="utf-8"))
    lacking = [package for package in PACKAGES if _is_lacking(state, package)]
    if not lacking:
        return state
    say(f"setting up the environment of the peers in {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pins.txt").write_text("\n".join(BASE) + "\n", encoding="utf-8")
    trouble = _call([sys.executable, "-m", "venv", str(folder / "env")])
    trouble = trouble or _install(folder, *BASE)
    for package in lacking:
        wanted = PACKAGES[package]
        wrong = trouble or _install(folder, *wanted)
        state[package] = f"failed: {wrong}" if wrong else wanted[0].partition("==")[2]
        say(f"{package}: {state[package]}")
    record.write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    return state


def is_installed(name: str, folder: Path) -> bool:
    """Tell whether what a peer needs is in the environment in this folder."""
    record = folder / "installed.json"
    state = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    return not _is_lacking(state, PEERS[name].package)


def _is_lacking(state: Mapping[str, str], package: str) -> bool:
    return state.get(package, "failed").startswith("failed")


def _install(folder: Path, *packages: str) -> str:
    pip = [str(_python(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return _call([*pip, "--constraint", str(folder / "pins.txt"), *packages])


def _call(command: list[str]) -> str:
    """Run a command; return what it complains about if it fails, nothing if it does not.

    That is pip's first error, which names the package, or else the last line.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason was given"]
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    return [*errors, said[-1]][0] if done.returncode else ""


def _python(folder: Path) -> Path:
    return folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"


def run_peer(
    name: str,
    X: Matrix,
    n_clusters: int,
    known: Links | PartialLabels | None,
    oracle: Oracle,
    seed: int,
) -> Answered:
    """Run one peer in its environment; what it asks is asked of the oracle, too."""
    folder = Path(os.environ.get(PLACE, ""))
    package = PEERS[name].package
    state = _state(folder)
    if _is_lacking(state, package):
        why = state.get(package, "").removeprefix("failed: ") or "nobody has tried."
        raise PeerMissing(f"{package} could not be installed: {why}")
    if is_csr(X):
        raise InvalidInput(f"{name} takes dense rows only.")
    links = known if isinstance(known, Links) else Links(X.shape[0])
    with TemporaryDirectory() as place:
        task, answer = Path(place, "task.npz"), Path(place, "answer.npz")
        truth = oracle.truth if oracle.budget else np.empty(0, dtype=np.int64)
        np.savez(
            task, X=X, k=n_clusters, must=links.must, cannot=links.cannot, seed=seed,
            truth=truth, budget=oracle.budget,
        )  # fmt: skip
        wrong = _call([str(_python(folder)), str(PROGRAM), name, str(task), str(answer)])
        if wrong:
            raise PeerFailed(wrong[:300])
        with np.load(answer, allow_pickle=False) as arrays:
            for i, j in arrays["asked"].tolist():
                oracle(i, j)
            return Answered(arrays["labels"], float(arrays["seconds"]), float(arrays["memory"]))


def _state(folder: Path) -> dict[str, str]:
    path = folder / "installed.json"
    if not path.exists():
        raise PeerMissing("the environment of the peers has not been set up: run with --peers.")
    state: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return state
