/** Deeds: what one click said. It may be several events, which were sent together and are undone together. */

import type { JournalEvent } from "../api/types";

/** The key of one of the events of a deed; the service counts answers by it. */
export function keyOf(deed: string, place: number): string {
  return `${deed}#${place}`;
}

/** What the keys of all events of a deed begin with: of a deed of one event, its key. */
export function deedOfKey(key: string): string {
  return /^(.*)[#/]\d+$/.exec(key)?.[1] ?? key;
}

const IMPORTED = "import-"; // what the keys of statements begin with that came with a file

export function isImported(event: JournalEvent): boolean {
  return event.key?.startsWith(IMPORTED) ?? false;
}

/**
 * What the events of one deed have in common; earlier versions, and programs, wrote "/" for "#". What came with a
 * file came at one moment.
 */
export function deedOf(event: JournalEvent): string {
  if (isImported(event)) return `${IMPORTED}${event.when}`;
  return event.key === null ? `#${event.seq}` : deedOfKey(event.key);
}

/** Events in a row that are one deed, in order. */
export function deeds(events: readonly JournalEvent[]): JournalEvent[][] {
  const found: JournalEvent[][] = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last && deedOf(last[0]) === deedOf(event)) last.push(event);
    else found.push([event]);
  }
  return found;
}

/** The deeds that are known from their first event on: of the earliest, only the end may be known. */
export function wholeDeeds(events: readonly JournalEvent[]): JournalEvent[][] {
  const all = deeds(events);
  const first = all[0]?.[0];
  const isCut = first && first.seq > 1 && (isImported(first) || /#[1-9]\d*$/.test(first.key ?? ""));
  return isCut ? all.slice(1) : all;
}
