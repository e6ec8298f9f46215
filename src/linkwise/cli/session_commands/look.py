"""The commands that look at a session: clusters, labels, questions, history, troubles, export."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from linkwise.cli.options import FilePath, json_option, raw_option
from linkwise.cli.session_commands.opening import open_session
from linkwise.cli.session_commands.say import folder_argument
from linkwise.markup import count


@click.command("show")
@folder_argument
@json_option
def show(folder: Path, as_json: bool) -> None:
    """Show the clusters and how far the answers have come."""
    with open_session(folder) as session:
        view, progress, seq = session.view(), session.progress(), session.seq
        name, n_rows = session.name, session.n_rows
    shown = {c.number: -1 if c.number == view.nowhere else c.number for c in view.clusters}
    if as_json:
        found = {"name": name, "n_rows": n_rows, "seq": seq, "progress": asdict(progress)}
        found["clusters"] = [{**asdict(c), "number": shown[c.number]} for c in view.clusters]
        click.echo(json.dumps(found, indent=2))
        return
    said = f"{count(seq, 'event')}, {count(progress.answers, 'answer')}"
    click.echo(f"{name}: {count(n_rows, 'row')}, {said}.")
    for cluster in view.clusters:
        rows = "row " if cluster.size == 1 else "rows"
        none = cluster.number == view.nowhere
        sure = " " * 9 if none else f"{cluster.sureness:>4.0%} sure"
        click.echo(f"{shown[cluster.number]:>4}  {cluster.size:>8} {rows}  {sure}  {cluster.name}")
    click.echo(progress.hint)


@click.command("people")
@folder_argument
@json_option
def people(folder: Path, as_json: bool) -> None:
    """Show who answered, and how far they agree where they told the same pairs."""
    with open_session(folder) as session:
        found = session.people()
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    for person in found.people:
        agreed = f", {person.agreed} of {person.compared} as others" if person.compared else ""
        click.echo(
            f"{person.who or '(no name)'}: {count(person.answers, 'pair')}, {person.unsure} "
            f"unsure{agreed}, weight {person.weight:.2f}"
        )
    for pair in found.agreements:
        click.echo(
            f"{pair.first or '(no name)'} and {pair.second or '(no name)'} agree on {pair.agreed} "
            f"of {count(pair.compared, 'pair')}"
        )
    if not found.people:
        click.echo("Nobody has answered yet.", err=True)


@click.command("labels")
@folder_argument
@click.option("--at", type=click.IntRange(min=0), help="After so many events; all by default.")
@json_option
def labels(folder: Path, at: int | None, as_json: bool) -> None:
    """Print the cluster of every row: id, cluster, name, margin."""
    with open_session(folder) as session:
        view = session.view(at)
        ids = session.ids[: len(view.labels)]  # others joined later
    names = {cluster.number: cluster.name for cluster in view.clusters}
    margins = [round(margin, 6) for margin in view.margins.tolist()]
    lines = zip(ids, view.labels.tolist(), margins, strict=True)
    shown = {number: -1 if number == view.nowhere else number for number in names}
    if as_json:
        rows = [{"id": i, "cluster": shown[c], "name": names[c], "margin": m} for i, c, m in lines]
        click.echo(json.dumps({"seq": view.seq, "labels": rows}, indent=2))
        return
    click.echo("id\tcluster\tname\tmargin")
    for name, cluster, margin in lines:
        click.echo(f"{name}\t{shown[cluster]}\t{names[cluster]}\t{margin}")


@click.command("query")
@folder_argument
@click.option("-n", "n", type=click.IntRange(min=1), default=1, help="How many questions.")
@click.option("--strategy", default="auto", show_default=True, help="How to choose them.")
@json_option
def query(folder: Path, n: int, strategy: str, as_json: bool) -> None:
    """Print pairs of rows worth asking about, the most useful first."""
    with open_session(folder) as session:
        questions = session.query(n, strategy)
        ids = session.ids
    if as_json:
        found = [{"rows": [ids[q.i], ids[q.j]], "guess": q.guess, "why": q.why} for q in questions]
        click.echo(json.dumps(found, indent=2))
        return
    for question in questions:
        click.echo(f"{ids[question.i]}\t{ids[question.j]}\t{question.why}")
    if not questions:
        click.echo("No useful question is left.", err=True)


@click.command("history")
@folder_argument
@click.option("--after", type=click.IntRange(min=0), default=0, help="Begin after this event.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many events.")
@json_option
def history(folder: Path, after: int, limit: int | None, as_json: bool) -> None:
    """Print what was said, by whom and when, and what was taken back."""
    from linkwise.session import Event, in_words

    with open_session(folder) as session:
        events = session.history(after, limit)
        ids = session.ids
    if as_json:
        click.echo(json.dumps([asdict(event) for event in events], indent=2))
        return
    for event in events:
        undone = f" (undone by {event.undone_by})" if event.undone_by else ""
        who = f" {event.who}:" if event.who else ""
        words = in_words(Event(**asdict(event)), lambda row: str(ids[row]))
        click.echo(f"{event.seq}\t{event.when}\t{who} {words}{undone}")


@click.command("conflicts")
@folder_argument
@json_option
@click.pass_context
def conflicts(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Print contradictions among what was said, and how to settle each.

    The exit code is 0 if there are none, 1 if there are.
    """
    with open_session(folder) as session:
        troubles = session.conflicts()
    if as_json:
        click.echo(json.dumps([asdict(trouble) for trouble in troubles], indent=2))
    else:
        for trouble in troubles:
            click.echo(trouble.sentence)
            click.echo(f"  Proposal: linkwise session undo {folder} {trouble.proposal}")
        if not troubles:
            click.echo("What was said does not contradict itself.")
    ctx.exit(1 if troubles else 0)


@click.command("suspects")
@folder_argument
@json_option
def suspects(folder: Path, as_json: bool) -> None:
    """Print answers that are probably wrong, the most suspicious first."""
    with open_session(folder) as session:
        found = session.suspects()
    if as_json:
        click.echo(json.dumps([asdict(suspicion) for suspicion in found], indent=2))
        return
    for suspicion in found:
        click.echo(suspicion.sentence)
    if not found:
        click.echo("No answer looks wrong.")


@click.command("number")
@folder_argument
@json_option
def number(folder: Path, as_json: bool) -> None:
    """Say how many clusters there are, and whether the answers speak for another number."""
    with open_session(folder) as session:
        n_clusters, proposal = session.n_clusters, session.weigh().proposal
    if as_json:
        found = None if proposal is None else {"k": proposal.k, "reason": proposal.reason}
        click.echo(json.dumps({"n_clusters": n_clusters, "proposal": found}, indent=2))
        return
    click.echo(f"{n_clusters} clusters.")
    if proposal is None:
        click.echo("No answers speak for another number.")
    else:
        click.echo(proposal.reason)
        click.echo(f"  Proposal: linkwise session recluster {folder} {proposal.k}")


@click.command("outliers")
@folder_argument
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="How many, of all rows.",
)
@json_option
def outliers(folder: Path, share: float, as_json: bool) -> None:
    """Print the rows that are far from everything, the farthest first."""
    with open_session(folder) as session:
        found = [session.ids[row] for row in session.outliers(share)]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for name in found:
        click.echo(name)


@click.command("export")
@folder_argument
@click.option(
    "-o",
    "--output",
    type=FilePath((".csv", ".parquet", ".json")),
    required=True,
    help="Where to write; .csv or .parquet, links and names also .json.",
)
@click.option(
    "--what",
    type=click.Choice(["labels", "answers", "links", "names"]),
    default="labels",
    show_default=True,
    help="One line per row, per answer, per link, or per row that was given a name.",
)
@raw_option
def export(folder: Path, output: Path, what: str, raw: bool) -> None:
    """Write labels (id, cluster, name, margin) or answers (who, when, what) to a file.

    Links are what linkwise check and linkwise cluster --links read, names what --labels reads, and
    linkwise session import reads answers, links and names.
    """
    with open_session(folder) as session:
        session.export(output, what, raw=raw)
    click.echo(f"Wrote {output}.")
