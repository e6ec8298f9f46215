"""What the session thinks: questions, contradictions, doubts, progress, and how to redo it."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Query

from linkwise.server.refusals import refuses
from linkwise.server.schemas.advice import (
    Moved,
    Number,
    People,
    Progress,
    Question,
    Recipe,
    Suspicion,
    Trouble,
)
from linkwise.server.schemas.base import MOST, Strategy
from linkwise.server.service import HolderHere, Live

router = APIRouter(prefix="/api/sessions/{session}", tags=["advice"])


@router.get("/questions", responses=refuses(404, 409))
async def questions(
    live: Live,
    holder: HolderHere,
    n: Annotated[int, Query(ge=1, le=100)] = 1,
    strategy: Annotated[Strategy, Query()] = "auto",
    skip: Annotated[
        str,
        Query(
            pattern=r"^([0-9]{1,10}-[0-9]{1,10}(,[0-9]{1,10}-[0-9]{1,10})*)?$",
            max_length=4000,
            description="Pairs not to ask about, as i-j,i-j.",
        ),
    ] = "",
    fresh: Annotated[
        bool, Query(description="False: ask by the labels that are ready, without waiting.")
    ] = True,
    who: Annotated[
        str | None,
        Query(
            max_length=200,
            description="Whose they are for ten minutes; others get others. Only the owner of the "
            "service may say it; else it is who the token was given to.",
        ),
    ] = None,
    overlap: Annotated[
        float, Query(ge=0, le=1, description="With who: share of them that others have answered.")
    ] = 0.0,
    kind: Annotated[
        Literal["pair", "choice", "groups", "auto"],
        Query(description="auto: groups while there are any, then choices, then pairs."),
    ] = "pair",
    asked: Annotated[
        int | None,
        Query(
            ge=0,
            le=MOST,
            description="How many they have been asked so far. Then every tenth is a pair drawn "
            "at random, and a doubted answer is asked about once more.",
        ),
    ] = None,
    formerly: Annotated[
        str | None,
        Query(
            max_length=200,
            description="With who: what they were called before. What this name was given is "
            "theirs. Only the owner of the service may say it.",
        ),
    ] = None,
) -> list[Question]:
    """Return what is worth asking. What the clustering thinks is not told."""
    pairs = [(int(i), int(j)) for i, _, j in (p.partition("-") for p in skip.split(",")) if j]
    query = live.session.query
    chosen = partial(query, n, strategy, skip=pairs, fresh=fresh)
    ask = partial(chosen, who=holder.asked(who), overlap=overlap, kind=kind, asked=asked)
    if not holder.name:
        ask = partial(ask, formerly=formerly)
    return [Question.model_validate(one) for one in await live.work(ask)]


@router.get("/conflicts", responses=refuses(404, 409))
async def conflicts(live: Live) -> list[Trouble]:
    """Return answers that contradict each other, in words."""
    found = await live.work(live.session.conflicts)
    return [Trouble.model_validate(trouble) for trouble in found]


@router.get("/suspects", responses=refuses(404, 409))
async def suspects(live: Live) -> list[Suspicion]:
    """Return answers that may be wrong, the most suspicious first."""
    found = await live.work(live.session.suspects)
    return [Suspicion.model_validate(suspicion) for suspicion in found]


@router.get("/progress", responses=refuses(404, 409))
async def progress(live: Live) -> Progress:
    """Say what the answers changed and whether more of them still pay."""
    found = asdict(await anyio.to_thread.run_sync(live.session.progress))
    agreed = {"agreed_recently": found.pop("agreed_recent"), "agreed": found.pop("agreed_all")}
    moved = [Moved(seq=seq, rows=rows) for seq, rows in found.pop("moved")]
    return Progress.model_validate({**found, **agreed, "moved": moved})


@router.get("/people", responses=refuses(404, 409))
async def people(live: Live) -> People:
    """Say who answered, and how far they agree where they told the same pairs."""
    return People.model_validate(await anyio.to_thread.run_sync(live.session.people))


@router.get("/number", responses=refuses(404, 409))
async def number(live: Live) -> Number:
    """Return how many clusters there are, and whether the answers speak for another number.

    What they say is looked at after every five answers, which takes a while: meanwhile ``pending``
    is true, and the rest is what was found before.
    """
    found, session = live.weigh(), live.session
    follows, pending = await anyio.to_thread.run_sync(lambda: (session.follows, session.to_weigh()))
    proposal = None if found is None else found.proposal
    return Number(
        n_clusters=session.n_clusters,
        follows=follows,
        proposal=None if proposal is None else proposal.k,
        reason=None if proposal is None else proposal.reason,
        fits=found is None or found.fits,
        pending=pending,
    )


@router.get("/outliers", responses=refuses(404, 409))
async def outliers(
    live: Live,
    share: Annotated[float, Query(ge=0, le=1, description="How many, of all rows.")] = 0.01,
) -> list[int]:
    """Return rows that are far from everything, the farthest first."""
    return await live.work(live.session.outliers, share)


@router.get("/recipe", responses=refuses(404, 409))
async def recipe(live: Live) -> Recipe:
    """Return the lines of Python that give the same labels."""
    return Recipe(python=await anyio.to_thread.run_sync(live.session.recipe))
