/** What Python tells the cell, and what the cell says to Python. */

import type { Cluster, Labels, Row, Verdict } from "../api/types";
import { flows, tell } from "../state/trace";

/** The part of a widget's model that is used here. */
export interface Channel {
  get(name: string): unknown;
  on(event: string, callback: (message: unknown) => void): void;
  off(event: string, callback: (message: unknown) => void): void;
  send(content: Record<string, unknown>): void;
}

/** A row as Python sends it: its picture comes along. */
type Sent = Pick<Row, "row" | "id" | "fields" | "text"> & { picture: string | null };

interface Asked {
  number: number;
  rows: [Sent, Sent];
  why: string;
}

export class Cell {
  readonly id = "";
  clusters = $state.raw<Cluster[]>([]);
  question = $state.raw<{ number: number; a: Row; b: Row; why: string } | null>(null);
  notice = $state("");
  news = $state("");
  answers = $state(0);
  busy = $state(false);
  viewSeq = $state(0); // counts the colourings
  moved = $state.raw<Uint32Array>(new Uint32Array(0));
  labels: Labels = new Uint8Array(0);
  places = $state.raw<Float32Array>(new Float32Array(0));
  #rows = new Map<number, Row>();
  #pictures = new Map<number, string>();
  #waiting = new Map<number, ((row: Row) => void)[]>();
  readonly #heard: [string, (message: unknown) => void][];

  constructor(private readonly channel: Channel) {
    this.#heard = [
      ["change:places", () => this.#place()],
      ["change:colours", () => this.#recolour()],
      ["change:question", () => this.#ask()],
      ["change:notice", () => (this.notice = this.#told("notice"))],
      ["change:n_answers", () => (this.answers = this.#told("n_answers"))],
      ["change:n_dealt_with", () => (this.busy = false)],
      ["msg:custom", (message) => this.#shown(message as { kind: string; row: Sent })],
    ];
    for (const [event, callback] of this.#heard) channel.on(event, callback);
    this.#place();
    this.#recolour();
    this.#ask();
    channel.send({ kind: "improve" });
    this.notice = this.#told("notice");
    this.answers = this.#told("n_answers");
  }

  close() {
    for (const [event, callback] of this.#heard) this.channel.off(event, callback);
  }

  answer(verdict: Verdict) {
    if (this.busy || !this.question) return;
    this.busy = true;
    this.channel.send({ kind: "answer", question: this.question.number, verdict });
  }

  undo() {
    if (this.busy || this.answers === 0) return;
    this.busy = true;
    this.channel.send({ kind: "undo" });
  }

  /** Where the picture of a row is: in the message that told of it. */
  picture(row: number): string {
    return this.#pictures.get(row) ?? "";
  }

  known(row: number): Row | undefined {
    return this.#rows.get(row);
  }

  rows(wanted: number[]): Promise<Row[]> {
    return Promise.all(wanted.map((row) => this.#row(row)));
  }

  #row(row: number): Promise<Row> {
    const known = this.#rows.get(row);
    if (known) return Promise.resolve(known);
    return new Promise((found) => {
      const others = this.#waiting.get(row);
      this.#waiting.set(row, [...(others ?? []), found]);
      if (!others) this.channel.send({ kind: "look", row });
    });
  }

  #shown(message: { kind: string; row: Sent }) {
    if (message.kind !== "row") return;
    const row = this.#keep(message.row);
    for (const found of this.#waiting.get(row.row) ?? []) found(row);
    this.#waiting.delete(row.row);
  }

  #keep({ picture, ...sent }: Sent): Row {
    const row = { ...sent, has_image: picture !== null, cluster: this.labels[sent.row], margin: 0 };
    this.#rows.set(row.row, row);
    if (picture !== null) this.#pictures.set(row.row, picture);
    return row;
  }

  #place() {
    this.places = new Float32Array(bytes(this.channel.get("places")));
  }

  #ask() {
    const asked = this.#told<Asked | null>("question");
    if (asked === null) this.question = null;
    else {
      const [a, b] = asked.rows.map((row) => this.#keep(row));
      this.question = { number: asked.number, a, b, why: asked.why };
    }
  }

  #recolour() {
    const before = this.labels;
    const codes = bytes(this.channel.get("colours"));
    this.labels = this.#told("n_bytes") === 1 ? new Uint8Array(codes) : new Uint16Array(codes);
    const none = { exemplars: [], sureness: 0, moved_in: 0, moved_out: 0, is_nowhere: false };
    this.clusters = this.#told<Cluster[]>("clusters").map((cluster) => ({ ...none, ...cluster }));
    if (before.length === this.labels.length) {
      this.moved = changed(before, this.labels);
      const now = Uint16Array.from(this.moved, (row) => this.labels[row]);
      this.news = tell(flows(this.moved, before, now), this.clusters, "");
    }
    this.viewSeq++;
  }

  #told<T>(name: string): T {
    return this.channel.get(name) as T;
  }
}

/** Rows whose label is another one now. */
function changed(before: Labels, now: Labels): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < now.length; row++) if (before[row] !== now[row]) rows.push(row);
  return Uint32Array.from(rows);
}

/** Bytes come as a view into a message; arrays of numbers need a buffer of their own. */
function bytes(sent: unknown): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = sent as DataView<ArrayBuffer>;
  return buffer.slice(byteOffset, byteOffset + byteLength);
}
