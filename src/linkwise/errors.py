"""Every error linkwise raises on purpose.

All descend from :class:`LinkwiseError`; those about values are ``ValueError`` too, so code
written for scikit-learn catches them without knowing us.
"""

from __future__ import annotations


class LinkwiseError(Exception):
    """Anything linkwise refuses to do, in a sentence meant to be read."""


class InvalidInput(LinkwiseError, ValueError):
    """A value given by the caller cannot be used."""


class InvalidLinks(InvalidInput):
    """Links or labels that cannot be what was meant."""


class Contradiction(InvalidInput):
    """A cannot-link whose two ends are must-linked through a chain of other links."""


class Infeasible(LinkwiseError, ValueError):
    """No clustering with this many clusters keeps all the links."""


class Cancelled(LinkwiseError):
    """The caller asked to stop before the work was finished."""


class MissingExtra(LinkwiseError, ImportError):
    """An optional package is needed and not installed."""


class MissingData(LinkwiseError, FileNotFoundError):
    """A data set is not on this machine."""


def missing_extra(what: str, package: str, extra: str) -> MissingExtra:
    """Return the one sentence for an absent optional dependency."""
    return MissingExtra(f'{what} needs {package}: pip install "linkwise[{extra}]"')


class ConstraintWarning(UserWarning):
    """The result is usable, but not all that was said could be kept."""
