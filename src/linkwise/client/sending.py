"""Sending: what both clients share about connections, patience and refusals."""

from __future__ import annotations

import os
import random
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from linkwise.client.errors import ServiceError, Unreachable
from linkwise.errors import InvalidInput, missing_extra

if TYPE_CHECKING:
    import httpx

#: Answers that say "later": too many requests, a proxy without a service, a service without room.
LATER = (429, 502, 503, 504)
#: The service lets a silent stream be heard of every 15 seconds.
SILENCE = 60.0
LONGEST_WAIT = 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def import_httpx() -> Any:
    """Return the package, or say how to get it."""
    try:
        import httpx
    except ImportError:
        raise missing_extra("linkwise.client", "httpx", "client") from None
    return httpx


@dataclass(frozen=True)
class Patience:
    """How often to try again, and how long to wait before."""

    tries: int = 5

    def wait(self, failures: int, told: Mapping[str, str] | None = None) -> float:
        """Return the seconds to wait after so many failures; the service may have told them."""
        asked = (told or {}).get("retry-after", "")
        if asked.isdigit():
            return min(float(asked), 60.0)
        longest = min(LONGEST_WAIT, 0.1 * 2.0**failures)
        return longest * random.uniform(0.5, 1.0)  # so that many clients do not come back at once


def check_address(url: str, token: str) -> str:
    """Return the address without what follows the host, or say what is wrong with it."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InvalidInput(f"url is {url!r}, expected an address such as http://127.0.0.1:8321.")
    if not token or not token.isascii() or not token.isprintable():
        raise InvalidInput("token is empty or holds characters that cannot be sent.")
    return f"{parts.scheme}://{parts.netloc}"


def trust(url: str, certificate: str | os.PathLike[str] | None) -> ssl.SSLContext | bool:
    """Return what an HTTPS service must show: a certificate of the usual authorities, or this one.

    On this machine, one that was named may be made out to any host.
    """
    if certificate is None:
        return True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # itself, whoever signed it
    context.check_hostname = urlsplit(url).hostname not in _LOOPBACK
    try:
        context.load_verify_locations(certificate)
    except ssl.SSLError:
        raise InvalidInput(f"{os.fspath(certificate)} is no certificate in PEM form.") from None
    return context


def refusal(reply: httpx.Response) -> ServiceError:
    """Return the error that an answer is, in the words of the service."""
    try:
        sentence = str(reply.json()["error"])
    except (ValueError, KeyError, TypeError):
        sentence = f"the service answered {reply.status_code} {reply.reason_phrase}."
    return ServiceError(sentence, reply.status_code)


def unreachable(url: str, error: Exception) -> Unreachable:
    """Return the error of an address where nobody answers."""
    reason = str(error) or type(error).__name__
    return Unreachable(f"{url} does not answer: {reason.rstrip('.')}.")
