/** Deeds: what one click said. It may be several events, which were sent together and are undone together. */

import type { JournalEvent } from "../api/types";

/** What the events of one deed have in common. */
export function deedOf(event: JournalEvent): string {
  const at = event.key?.lastIndexOf("/") ?? -1;
  return at < 0 ? `#${event.seq}` : event.key!.slice(0, at);
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
