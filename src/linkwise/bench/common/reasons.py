"""Why another method may be first: what its family sees in rows that ours does not.

Written from the figures and from what the methods do; which sets they are about is counted anew for
every page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Methods that see the same thing in rows.

    Attributes
    ----------
    sees : str
        What, in a few words.
    methods : tuple of str
        Their names in tables, without the package.
    why : str
        Why that beats an ensemble of partitions that listens to answers, where it does.
    """

    sees: str
    methods: tuple[str, ...]
    why: str


FAMILIES = (
    Family(
        "Round clusters",
        (
            "k-means", "COPKMeans", "PCKMeans", "CVQE", "LCVQE", "SizedKMeans", "SeededKMeans",
            "ConstrainedKMeans", "PartitionKMeans", "KCC", "KMeansConstrained", "COP k-means",
        ),
        "The clusters are round in the features as they are, or the classes are hardly visible in "
        "them at all. There is nothing to learn but centres, and fewer things learned is less to "
        "go wrong: ours votes by partitions of half of the features each, which blurs what all "
        "features together show, and with few rows its votes are coarse.",
    ),
    Family(
        "One linear map",
        (
            "RCA + k-means", "DCA + k-means", "ITML + k-means", "LMNN + k-means", "NCA + k-means",
            "PGDM + k-means", "SDML + k-means", "MMC + k-means", "MPCKMeans", "MinMax + MPCKMeans",
        ),
        "Features are on different scales or go together, and one map of all rows makes the "
        "classes round. It is learned from all links at once; ours bends how landmarks are seen "
        "only as far as answers left out approve, which takes more answers.",
    ),
    Family(
        "Planes",
        ("MaxMarginClustering", "CPCMMC", "MMC"),
        "Planes part the classes, also where rows of two classes lie side by side. A link turns a "
        "plane, and with it the place of every row; in ours an answer speaks about rows that share "
        "blocks with those it names.",
    ),
    Family(
        "A graph of near rows",
        (
            "LandmarkSpectralClustering", "SCPC", "LSC", "NystromSpectralClustering", "E2CP",
            "NSDR", "CCSKL", "LabelSpreading",
        ),
        "Clusters are long and bent, and near rows are of one class. A graph of the rows follows "
        "them; ours cuts them into blocks and has to be told which blocks belong together.",
    ),
    Family(
        "A tree",
        ("ConstrainedLinkage",),
        "Clusters differ much in size. A tree merges from below and does not mind; an ensemble of "
        "k-means prefers blocks of one size.",
    ),
    Family(
        "Pieces",
        ("COBRAS",),
        "Classes are in several pieces, or there are more pieces than clusters. It asks about "
        "pieces and joins them by one answer each; ours places single rows.",
    ),
    Family(
        "Single features",
        ("SCSC",),
        "A few features tell the classes, the others are noise. Its partitions see a twentieth of "
        "the features each, and some of them see the right ones.",
    ),
)  # fmt: skip


def family_of(method: str) -> Family | None:
    """Return the family of a method, of whatever package; None for one that is not known.

    Examples
    --------
    >>> family_of("ITML + k-means (metric-learn)").sees
    'One linear map'
    """
    name = method.rpartition(" (")[0] or method
    return next((one for one in FAMILIES if name in one.methods), None)


def reasons(lost: Sequence[tuple[str, str]]) -> list[str]:
    """Return a paragraph for each family that is first somewhere, the most frequent first.

    ``lost`` are pairs of a set and the method that is first there, one for each cell.
    """
    found = []
    for family in FAMILIES:
        here = [(name, who) for name, who in lost if family_of(who) is family]
        if here:
            sets = ", ".join(sorted({name for name, _ in here}))
            who = ", ".join(sorted({who for _, who in here}))
            many = f"{len(here)} of {len(lost)} cells"
            text = f"- **{family.sees}** ({who}; {many}: {sets}). {family.why}"
            found.append((len(here), text))
    return [text for _, text in sorted(found, key=lambda one: -one[0])]
