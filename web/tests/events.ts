/** Events and clusters as the service tells them, with little to write. */

import type { Cluster, JournalEvent } from "../src/api/types";

type Kind = JournalEvent["kind"];
type PayloadOf<K extends Kind> = Extract<JournalEvent, { kind: K }>["payload"];

export function event<K extends Kind>(
  kind: K,
  payload: PayloadOf<K>,
  more: Partial<Omit<JournalEvent, "kind" | "payload">> = {},
): JournalEvent {
  const rest = { seq: 1, who: "", when: "2026-03-05T10:00:00Z", key: null, undone_by: null, repeated: false };
  return { ...rest, ...more, kind, payload } as JournalEvent;
}

export function answer(more: Partial<Omit<JournalEvent, "kind" | "payload">> = {}): JournalEvent {
  return event("answer", { i: 3, j: 5, verdict: "same" }, more);
}

export function cluster(number: number, name: string): Cluster {
  return {
    number,
    name,
    size: 10,
    sureness: 0.5,
    exemplars: [],
    moved_in: 0,
    moved_out: 0,
    is_nowhere: false,
  };
}
