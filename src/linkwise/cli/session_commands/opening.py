"""Opening a session: in its folder, or through the service that holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from linkwise.cli.announcement import TOKEN_VARIABLE, Announcement, find_service
from linkwise.errors import MissingExtra

if TYPE_CHECKING:
    from linkwise.cli.session_commands.remote import RemoteSession
    from linkwise.session import Session

    AnySession: TypeAlias = Session | RemoteSession


def open_session(folder: Path) -> AnySession:
    """Return the session, through a service where one runs that serves it."""
    service = find_service(folder)
    if service is not None and service.token is not None:
        try:
            from linkwise.cli.session_commands.remote import RemoteSession

            name = folder.resolve().name
            found = RemoteSession.reach(service.url, service.token, name, service.certificate)
        except MissingExtra:
            found = None
        if found is not None:
            return found
    from linkwise.session import Session  # a second to import, which a service spares us
    from linkwise.session.errors import SessionLocked

    try:
        return Session.open(folder)
    except SessionLocked as error:
        raise SessionLocked(f"{error}{_advice(service)}") from None


def _advice(service: Announcement | None) -> str:
    if service is None or service.token is not None:
        return ""
    return (
        f" A service at {service.url} has it: put its token into {TOKEN_VARIABLE}, or start it "
        f"with --token-file."
    )
