/** What a question is about, and whether what was said answers it. */

import type { JournalEvent, Question } from "../api/types";

/** The groups that a question is about. */
export function groupsOf({ one, other, third }: Question): number[][] {
  return [one, other, third].filter((rows) => rows.length > 0);
}

/** What a question goes by: its two rows, or its one row where it is a choice. */
export function nameOf({ kind, i, j }: Question): [number, number] {
  if (kind === "choice") return [i, i];
  return i < j ? [i, j] : [j, i];
}

/** Whether an event answers a question. */
export function settles(event: JournalEvent, asked: Question): boolean {
  if (event.kind === "together" || event.kind === "label" || event.kind === "nowhere")
    return settlesSet(event.kind, event.payload.rows, asked);
  if (event.kind !== "answer") return false;
  const { i, j } = event.payload;
  if (asked.kind === "choice")
    return (i === asked.i && asked.among.includes(j)) || (j === asked.i && asked.among.includes(i));
  return String(nameOf({ ...asked, kind: "pair" })) === String(i < j ? [i, j] : [j, i]);
}

export type OfSet = "together" | "label" | "nowhere" | "different";

/** Whether what is said of a set of rows answers a question. */
export function settlesSet(kind: OfSet, rows: Iterable<number>, asked: Question): boolean {
  const said = new Set(rows);
  const has = (row: number) => said.has(row);
  if (asked.kind === "groups") {
    const isOneThing = kind === "together" || kind === "label";
    return isOneThing && groupsOf(asked).filter((group) => group.some(has)).length > 1;
  }
  const others = asked.kind === "choice" ? asked.among : [asked.j];
  if (kind === "nowhere") return has(asked.i) || (asked.kind === "pair" && has(asked.j));
  return has(asked.i) && others.some(has);
}
