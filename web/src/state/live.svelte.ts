/** One session as the service tells it: labels, clusters, history, troubles, progress, kept up to date. */

import { Refused, Unreachable, api } from "../api/client";
import { follow } from "../api/stream";
import type {
  Cluster,
  JournalEvent,
  Labels,
  NumberAdvice,
  People,
  Progress,
  Row,
  SessionInfo,
  Suspicion,
  Trouble,
  ViewNews,
} from "../api/types";
import { Sample } from "../map/sample";
import { Outbox } from "./outbox.svelte";
import { page } from "./page.svelte";
import { MOST_FIELDS } from "./compare";
import { singly } from "./singly";
import { telling, inOrder } from "./telling";
import { type Trace, causeOf, flows, fromOne, tell } from "./trace";

const PAGE_OF_HISTORY = 200;
export const MOST_OF_HISTORY = 5000; // that the service tells at once
const SOON = 60; // milliseconds until the side panels are asked anew after new colours ...
const LATER = 1500; // ... and after an event, whose colours the service is still working out
const LOOKING = 2000; // ... and while it looks at what the answers say as a whole
const MOST_TRACES = 30;
const MOST_CALLED = 20_000;
const MOST_ROWS = 200; // that are asked for at once
const MOST_CELLS = 60_000; // that are looked at to tell which fields come first

export type Connection = "opening" | "live" | "lost" | "denied" | "gone";

export class Live {
  connection = $state<Connection>("opening");
  info = $state.raw<SessionInfo | null>(null);
  clusters = $state.raw<Cluster[]>([]); // last, where there are any, the rows that belong nowhere
  groups = $derived(this.clusters.filter((cluster) => !cluster.is_nowhere));
  events = $state.raw<JournalEvent[]>([]); // oldest first; a page of them, older ones on request
  conflicts = $state.raw<Trouble[]>([]);
  suspects = $state.raw<Suspicion[]>([]); // answers that may be wrong
  doubts = $derived(this.suspects.filter((suspect) => suspect.asked_again)); // which asking again did not settle
  progress = $state.raw<Progress | null>(null);
  number = $state.raw<NumberAdvice | null>(null);
  people = $state.raw<People | null>(null);
  traces = $state.raw<Trace[]>([]); // of the last changes, the latest last
  trace = $derived(this.traces.at(-1) ?? null);
  seq = $state(0); // the last event seen
  viewSeq = $state(-1); // the moment the colours show

  labels: Labels = new Uint8Array(0);
  layouts = new Map<string, Float32Array>();
  sample = new Sample(null); // the rows that layouts have a place for
  readonly outbox: Outbox;

  #rows = new Map<number, Row>();
  #tellFirst!: (fields: string[]) => void;
  #first = new Promise<string[]>((done) => (this.#tellFirst = done));
  #older = new Map<number, JournalEvent>();
  #repaint = new Set<() => void>();
  #hearers = new Set<(event: JournalEvent) => void>();
  #unfollow = () => {};
  #updating = false;
  #wanted = -1;
  #panelTimer = 0;
  #closed = false;

  constructor(readonly id: string) {
    this.outbox = new Outbox(
      id,
      (events) => this.#acknowledged(events),
      (ok) => this.#reached(ok),
      (sentence) => fromOne(sentence, this.clusters),
    );
  }

  /** Ask for everything once; the stream keeps it fresh. Tries again for as long as nobody answers. */
  async open() {
    while (!this.#closed) {
      try {
        await this.#load();
        return;
      } catch (error) {
        if (!this.#explain(error)) return;
        await new Promise((wake) => setTimeout(wake, 1000));
      }
    }
  }

  close() {
    this.#closed = true;
    this.#unfollow();
    this.outbox.stop();
    window.clearTimeout(this.#panelTimer);
  }

  onRepaint(callback: () => void): () => void {
    this.#repaint.add(callback);
    return () => this.#repaint.delete(callback);
  }

  onHeard(callback: (event: JournalEvent) => void) {
    this.#hearers.add(callback);
  }

  /** What moved with the change that an event was part of. */
  traceOf(seq: number): Trace | undefined {
    return this.traces.find((trace) => trace.after < seq && seq <= trace.seq);
  }

  /** Rows as they are shown to people, of many fields the telling ones first; asked once each. */
  async rows(wanted: number[]): Promise<Row[]> {
    const first = await this.#first;
    const missing = wanted.filter((row) => !this.#rows.has(row));
    for (const row of await this.#fetched(missing)) this.#rows.set(row.row, inOrder(row, first));
    return wanted.map((row) => this.#rows.get(row)!);
  }

  async #fetched(wanted: number[]): Promise<Row[]> {
    const found: Row[] = [];
    for (let at = 0; at < wanted.length; at += MOST_ROWS)
      found.push(...(await api.rows(this.id, wanted.slice(at, at + MOST_ROWS))));
    return found;
  }

  /** Which fields come first, for as long as the page is open: people look for them in one place. */
  async #lookForFirst(clusters: Cluster[]) {
    const { columns, has_images } = this.info!;
    if (columns.length <= MOST_FIELDS || has_images) return this.#tellFirst([]);
    const each = Math.max(2, Math.floor(MOST_CELLS / columns.length / Math.max(1, clusters.length)));
    const groups = clusters.slice(0, MOST_ROWS / 2).map(({ exemplars }) => exemplars.slice(0, each));
    const found = new Map((await this.#fetched(groups.flat())).map((row) => [row.row, row]));
    this.#tellFirst(telling(groups.map((rows) => rows.map((row) => found.get(row)!))));
  }

  /** What all rows on the map are called; only their numbers where they are very many. */
  async idsOfAll(): Promise<(string | number)[]> {
    const all = Array.from(this.sample.of(this.labels), (_, point) => this.sample.row(point));
    if (all.length > MOST_CALLED) return all;
    return (await this.rows(all)).map((row) => row.id);
  }

  known(row: number): Row | undefined {
    return this.#rows.get(row);
  }

  /** Whether the other answers speak so clearly against an answer that it does not count for now. */
  isSetAside(seq: number): boolean {
    return this.suspects.some((suspect) => suspect.event === seq && !suspect.holds);
  }

  isMine(event: JournalEvent): boolean {
    return event.key !== null && this.outbox.issued.has(event.key);
  }

  /** Whether it was said here, or by a person of that name elsewhere; false where it is not known. */
  isOurs(event: JournalEvent | undefined): boolean {
    return event !== undefined && (this.isMine(event) || (page.who !== "" && event.who === page.who));
  }

  /** Fetch a page of what was said before the events that are known. */
  async earlier(page = PAGE_OF_HISTORY) {
    const first = this.events[0]?.seq ?? 1;
    const after = Math.max(0, first - 1 - page);
    const { events } = await api.history(this.id, after, first - 1 - after);
    if (first === (this.events[0]?.seq ?? 1)) this.events = [...events, ...this.events];
  }

  /** Fetch all that was ever said. */
  async earliest() {
    while ((this.events[0]?.seq ?? 1) > 1) await this.earlier(MOST_OF_HISTORY);
  }

  event(seq: number): JournalEvent | undefined {
    return this.events.find((event) => event.seq === seq) ?? this.#older.get(seq);
  }

  /** Fetch events from before the page of history that is shown. */
  async need(seqs: number[]) {
    for (const seq of [...seqs].sort((a, b) => a - b)) {
      if (this.event(seq)) continue;
      const { events } = await api.history(this.id, seq - 1, PAGE_OF_HISTORY);
      events.forEach((event) => this.#older.set(event.seq, event));
    }
  }

  // --- the first look ---

  async #load() {
    const info = await api.session(this.id);
    const [layout, labels] = await Promise.all([api.layout(this.id, "pca"), api.labels(this.id, 0)]);
    if (info.n_on_map < info.n_rows) this.sample = new Sample(await api.onMap(this.id));
    if (this.#closed) return;
    this.layouts.set("pca", layout);
    this.labels = labels.labels;
    this.viewSeq = labels.seq;
    this.seq = info.seq;
    this.info = info;
    this.connection = "live";
    this.#repaint.forEach((paint) => paint());
    const { events } = await api.history(this.id, Math.max(0, info.seq - PAGE_OF_HISTORY), PAGE_OF_HISTORY);
    const heard = this.events.filter((event) => event.seq > (events.at(-1)?.seq ?? 0));
    this.events = [...events, ...heard]; // what the outbox delivered meanwhile is news already
    const clusters = await api.clusters(this.id, this.viewSeq);
    await this.#lookForFirst(clusters.filter((cluster) => !cluster.is_nowhere));
    this.clusters = counted(clusters);
    this.#follow();
    this.#askPanels();
  }

  #follow() {
    if (this.#closed) return;
    this.#unfollow = follow(() => api.streamed(this.id, this.seq), {
      journal: (event) => this.#heard(event),
      view: (news) => this.#seen(news),
      connected: () => this.#reached(true),
      lost: () => void this.#doubt(),
    });
  }

  /** The stream broke: a hiccup that mends itself, or is the server away, or are we no longer welcome? */
  async #doubt() {
    try {
      await api.session(this.id);
    } catch (error) {
      this.#explain(error);
    }
  }

  /** Set what the banner says; true when trying again makes sense. */
  #explain(error: unknown): boolean {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      this.connection = "denied";
      return false;
    }
    if (error instanceof Refused && error.status === 404) {
      this.connection = "gone";
      return false;
    }
    if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
    this.connection = "lost";
    return true;
  }

  #reached(ok: boolean) {
    if (ok && this.connection !== "live" && this.info) {
      this.connection = "live";
      this.#askPanels();
    } else if (!ok && this.connection === "live") this.connection = "lost";
  }

  // --- news ---

  #acknowledged(events: JournalEvent[]) {
    events.forEach((event) => this.#heard(event));
  }

  #heard(event: JournalEvent) {
    if (this.events.some((known) => known.seq === event.seq)) return;
    const withdrawn = event.kind === "undo" ? event.payload.event : null;
    const known = this.events.map((old) => this.#after(old, event, withdrawn));
    known.push(event);
    known.sort((a, b) => a.seq - b.seq);
    this.events = known;
    this.seq = Math.max(this.seq, event.seq);
    this.#hearers.forEach((hear) => hear(event));
    this.#askPanels(LATER);
  }

  /** An undo marks its target; undoing an undo takes the mark off again. */
  #after(old: JournalEvent, event: JournalEvent, withdrawn: number | null): JournalEvent {
    if (withdrawn === null) return old;
    if (old.seq === withdrawn) return { ...old, undone_by: event.seq };
    return old.undone_by === withdrawn ? { ...old, undone_by: null } : old;
  }

  #seen(news: ViewNews) {
    this.clusters = counted(news.clusters);
    this.#wanted = Math.max(this.#wanted, news.seq);
    void this.#update();
  }

  async #update() {
    if (this.#updating) return;
    this.#updating = true;
    try {
      while (this.#wanted > this.viewSeq && !this.#closed) await this.#recolour();
      this.#askPanels();
    } catch (error) {
      if (!this.#closed) this.#explain(error);
    } finally {
      this.#updating = false;
    }
  }

  async #recolour() {
    const change = await api.labels(this.id, this.#wanted, this.viewSeq);
    const since = this.viewSeq;
    const rows = change.rows ?? different(this.labels, change.labels);
    const now = change.rows === null ? pick(change.labels, rows) : change.labels;
    const moved = flows(rows, this.labels, now);
    this.labels = widened(this.labels, now);
    for (let k = 0; k < rows.length; k++) this.labels[rows[k]] = now[k];
    this.viewSeq = change.seq;
    const events = this.events.filter((event) => event.seq > since && event.seq <= change.seq);
    this.#tellTrace(moved, rows, events, since);
    this.#repaint.forEach((paint) => paint());
  }

  /** A new name moves nothing, so there is nothing to tell. */
  #tellTrace(moved: [number, number, number][], rows: Uint32Array, events: JournalEvent[], after: number) {
    if (moved.length === 0 && events.every((event) => event.kind === "rename")) return;
    const sentence = tell(moved, this.clusters, causeOf(events, this.outbox.issued));
    this.traces = [...this.traces, { after, seq: this.viewSeq, rows, sentence }].slice(-MOST_TRACES);
    page.say(sentence);
  }

  #askPanels(delay = SOON) {
    window.clearTimeout(this.#panelTimer);
    this.#panelTimer = window.setTimeout(() => void this.#panels(), delay);
  }

  // Browsers have few lines to a service, and answers need one of them: nothing is asked twice at a time.
  #panels = singly(() =>
    this.#asked(async () => {
      this.number = await api.number(this.id); // before what goes by it
      void this.#troubles();
      [this.progress, this.people] = await Promise.all([api.progress(this.id), api.people(this.id)]);
      if (this.number.pending && !this.#closed) this.#askPanels(LOOKING);
    }),
  );

  /** What may take a while where very much contradicts itself; nothing else waits for it. */
  #troubles = singly(() =>
    this.#asked(async () => {
      [this.conflicts, this.suspects] = await Promise.all([api.conflicts(this.id), api.suspects(this.id)]);
    }),
  );

  async #asked(ask: () => Promise<void>) {
    try {
      await ask();
    } catch (error) {
      if (!this.#closed) this.#explain(error);
    }
  }
}

/** People count from one; a name that somebody gave stays as it is. */
function counted(clusters: Cluster[]): Cluster[] {
  return clusters.map((cluster) =>
    cluster.name === `cluster ${cluster.number}`
      ? { ...cluster, name: `cluster ${cluster.number + 1}` }
      : cluster,
  );
}

function different(old: Labels, now: Labels): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < now.length; row++) if (old[row] !== now[row]) rows.push(row);
  return Uint32Array.from(rows);
}

function pick(labels: Labels, rows: Uint32Array): Labels {
  const picked = labels instanceof Uint16Array ? new Uint16Array(rows.length) : new Uint8Array(rows.length);
  for (let k = 0; k < rows.length; k++) picked[k] = labels[rows[k]];
  return picked;
}

/** Beyond 256 clusters labels need two bytes. */
function widened(labels: Labels, news: Labels): Labels {
  return news instanceof Uint16Array && labels instanceof Uint8Array ? Uint16Array.from(labels) : labels;
}
