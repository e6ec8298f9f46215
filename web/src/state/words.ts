/** Events of the journal as a person would say them. */

import type { Cluster, JournalEvent, Verdict } from "../api/types";
import { isImported } from "./deeds";
import { nameOf, rowsOf, several } from "./trace";

const SAID: Record<Verdict, string> = { same: "same", different: "different", unsure: "cannot tell" };

export function sentence(
  event: JournalEvent,
  idOf: (row: number) => string | number,
  clusters: readonly Cluster[],
): string {
  const { kind, payload } = event;
  switch (kind) {
    case "answer":
      return `${idOf(payload.i)} and ${idOf(payload.j)}: ${SAID[payload.verdict]}`;
    case "label":
      return `${rowsOf(payload.rows.length)} named “${payload.name}”`;
    case "together":
      return `${rowsOf(payload.rows.length)} belong together`;
    case "undo":
      return `Took back number ${payload.event}`;
    case "rename":
      return `Cluster ${payload.cluster + 1} is called “${payload.name}”`;
    case "merge":
      return `Joined ${payload.clusters.map((number) => nameOf(clusters, number)).join(" and ")}`;
    case "split":
      return `Split ${nameOf(clusters, payload.cluster)} in two`;
    case "recluster":
      return `Clustered anew, in ${payload.n_clusters} clusters`;
    case "nowhere":
      return `${rowsOf(payload.rows.length)} ${payload.rows.length === 1 ? "belongs" : "belong"} nowhere`;
    case "extend":
      return `${rowsOf(payload.n_rows)} joined`;
  }
}

/** What one click said, also where it took several events to say it. */
export function sentenceOfDeed(
  deed: readonly JournalEvent[],
  idOf: (row: number) => string | number,
  clusters: readonly Cluster[],
): string {
  if (deed.length > 1 && isImported(deed[0])) return `${several(deed.length, "statement")} from a file`;
  const answers = deed.flatMap((event) => (event.kind === "answer" ? [event.payload] : []));
  const undos = deed.flatMap((event) => (event.kind === "undo" ? [event.payload.event] : []));
  if (deed.length > 1 && undos.length === deed.length)
    return `Took back numbers ${Math.min(...undos)} to ${Math.max(...undos)}`;
  const sets = deed.flatMap((event) =>
    event.kind === "together" ? [rowsOf(event.payload.rows.length)] : [],
  );
  if (sets.length > 1 && sets.length + answers.length === deed.length)
    return `${sets.slice(0, -1).join(", ")} and ${sets.at(-1)}: ${sets.length === 2 ? "two" : "three"} things`;
  if (answers.length === deed.length && new Set(answers.map((each) => each.i)).size > 1)
    return sentenceOfPairs(answers);
  if (answers.length < deed.length || deed.length === 1)
    return deed.map((event) => sentence(event, idOf, clusters)).join("; ");
  const { i } = answers[0];
  const listed = (verdict: Verdict) =>
    answers.filter((each) => each.verdict === verdict).map((each) => String(idOf(each.j)));
  const [same, different] = [listed("same"), listed("different")];
  if (same.length + different.length === 0) return `${idOf(i)}: cannot tell`;
  if (same.length === 0) return `${idOf(i)} belongs with none of ${different.join(", ")}`;
  const others = different.length > 0 ? `, not with ${different.join(", ")}` : "";
  return `${idOf(i)} belongs with ${same.join(", ")}${others}`;
}

/** Many pairs told at once: every two of some rows, where it is that, are told as such. */
function sentenceOfPairs(pairs: readonly { i: number; j: number; verdict: Verdict }[]): string {
  const n = new Set(pairs.flatMap(({ i, j }) => [i, j])).size;
  const verdicts = [...new Set(pairs.map(({ verdict }) => SAID[verdict]))];
  if (verdicts[0] === "different" && verdicts.length === 1 && pairs.length === (n * (n - 1)) / 2)
    return `${rowsOf(n)} are all different`;
  return `${several(pairs.length, "pair")}: ${verdicts.join(" or ")}`;
}

/** The rows that an event is about. */
export function rowsSaid(event: JournalEvent): number[] {
  if (event.kind === "answer") return [event.payload.i, event.payload.j];
  if (event.kind === "together" || event.kind === "label" || event.kind === "nowhere")
    return event.payload.rows;
  return [];
}

/** The rows one has to know to say it. */
export function rowsIn(event: JournalEvent): number[] {
  return event.kind === "answer" ? [event.payload.i, event.payload.j] : [];
}

const today = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const before = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function moment(when: string): string {
  const time = new Date(when);
  const isToday = time.toDateString() === new Date().toDateString();
  return (isToday ? today : before).format(time);
}
