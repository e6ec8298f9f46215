/** Events of the journal as a person would say them. */

import type { Cluster, JournalEvent, Verdict } from "../api/types";
import { nameOf, rowsOf } from "./trace";

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
      return `Cluster ${payload.cluster} is called “${payload.name}”`;
    case "merge":
      return `Joined ${payload.clusters.map((number) => nameOf(clusters, number)).join(" and ")}`;
    case "split":
      return `Split ${nameOf(clusters, payload.cluster)} in two`;
    case "recluster":
      return `Clustered anew, in ${payload.n_clusters} clusters`;
    case "nowhere":
      return `${rowsOf(payload.rows.length)} belong nowhere`;
    case "extend":
      return `${rowsOf(payload.n_rows)} joined`;
  }
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
