/** What moved and why, in a sentence. */

import type { Cluster, JournalEvent, Labels } from "../api/types";
import { deeds, isImported } from "./deeds";

export interface Trace {
  after: number; // the moment before, as the number of its last event ...
  seq: number; // ... and the moment it tells of
  rows: Uint32Array;
  sentence: string;
}

const count = new Intl.NumberFormat("en");

export const number = (n: number) => count.format(n);
export const several = (n: number, word: string) => (n === 1 ? `1 ${word}` : `${number(n)} ${word}s`);
export const rowsOf = (n: number) => several(n, "row");

/** Counts of moves per (old cluster, new cluster), largest first. */
export function flows(rows: Uint32Array, old: Labels, now: Labels): [number, number, number][] {
  const counts = new Map<number, number>();
  for (let k = 0; k < rows.length; k++) {
    const way = old[rows[k]] * 65_536 + now[k];
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  return [...counts]
    .map(([way, n]): [number, number, number] => [Math.floor(way / 65_536), way % 65_536, n])
    .filter(([from, to]) => from !== to)
    .sort((a, b) => b[2] - a[2]);
}

export function nameOf(clusters: readonly Cluster[], wanted: number): string {
  return clusters.find((cluster) => cluster.number === wanted)?.name || `cluster ${wanted + 1}`;
}

/** What the service says, with clusters called as they are here: it counts them from 0, people from 1. */
export function fromOne(sentence: string, clusters: readonly Cluster[]): string {
  return sentence
    .replace(/\bcluster (\d+)\b/g, (_, wanted: string) => nameOf(clusters, Number(wanted)))
    .replace(
      /\bnumbered (\d+) to (\d+)\b/g,
      (_, first: string, last: string) => `numbered ${Number(first) + 1} to ${Number(last) + 1}`,
    );
}

/** "38 rows moved from sevens to ones, and 12 more elsewhere after your answer." */
export function tell(moved: [number, number, number][], clusters: readonly Cluster[], cause: string): string {
  if (moved.length === 0) return `No row moved${cause}.`;
  const [from, to, n] = moved[0];
  const rest = moved.slice(1).reduce((sum, flow) => sum + flow[2], 0);
  const more = rest === 0 ? "" : `, and ${number(rest)} more elsewhere`;
  return `${rowsOf(n)} moved from ${nameOf(clusters, from)} to ${nameOf(clusters, to)}${more}${cause}.`;
}

const DEEDS: Record<JournalEvent["kind"], string> = {
  answer: "answer",
  label: "naming",
  together: "grouping",
  undo: "undo",
  rename: "new name",
  merge: "join",
  split: "split",
  recluster: "new number",
  nowhere: "leaving out",
  extend: "new rows",
};

/** " after your answer", " after Ana's undo and 2 other changes". */
export function causeOf(events: readonly JournalEvent[], mine: ReadonlySet<string>): string {
  const all = deeds(events);
  if (all.length === 0) return "";
  const deed = all.findLast(([event]) => event.key !== null && mine.has(event.key)) ?? all.at(-1)!;
  const event = deed.at(-1)!;
  const others = all.length === 1 ? "" : ` and ${several(all.length - 1, "other change")}`;
  const whose = event.key !== null && mine.has(event.key) ? "your" : event.who ? `${event.who}’s` : "another";
  const what = isImported(event) ? "file" : DEEDS[event.kind];
  return ` after ${whose} ${what}${others}`;
}
