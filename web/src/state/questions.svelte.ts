/** The questions to come, fetched ahead with the rows and pictures they show, and the answer just given. */

import { api } from "../api/client";
import type { Entry, JournalEvent, Question, Row, Verdict } from "../api/types";
import type { Live } from "./live.svelte";
import { page } from "./page.svelte";

const AHEAD = 8;
const LOW = 4;

type Said = Omit<Entry, "key">;

export interface Asked extends Question {
  a: Row;
  b: Row;
  /** The earlier answer that is being looked at again, if any. */
  again?: number;
}

export interface Given {
  asked: Asked;
  verdict: Verdict;
  event: JournalEvent | null; // null until it is in the journal
  receipt: Promise<JournalEvent>;
}

export class Questions {
  queue = $state.raw<Asked[]>([]);
  given = $state.raw<Given | null>(null);
  dry = $state(false); // the service has no question left
  current = $derived(this.queue[0] ?? null);

  #fetching = false;
  #stale = false;
  #withdrawn = new Set<number>(); // undos on their way
  #recent: [number, number][] = []; // answered here, perhaps not yet known there

  constructor(private readonly live: Live) {}

  /** Ask for more; with `afresh` the ones behind the current question are exchanged for better informed ones. */
  async fill(afresh = false) {
    if (this.#fetching) {
      this.#stale ||= afresh;
      return;
    }
    if (!afresh && this.queue.length >= AHEAD) return;
    this.#fetching = true;
    try {
      await this.#fetch(afresh);
    } catch {
      // Nobody answers at the moment; the next news or the next answer asks again.
    } finally {
      this.#fetching = false;
    }
    if (this.#stale) {
      this.#stale = false;
      void this.fill(true);
    }
  }

  async #fetch(afresh: boolean) {
    const kept = () => (afresh ? this.queue.slice(0, 1) : this.queue);
    const skip = [...this.#recent, ...kept().map((q): [number, number] => [q.i, q.j])];
    const fresh = await api.questions(this.live.id, AHEAD, skip, page.who);
    const rows = await this.live.rows(fresh.flatMap(({ i, j }) => [i, j]));
    const asked = fresh.map((q, k): Asked => ({ ...q, a: rows[2 * k], b: rows[2 * k + 1] }));
    asked.forEach(({ a, b }) => [a, b].forEach((row) => this.#preload(row)));
    const taken = new Set([...this.#recent.map(pairKey), ...kept().map((q) => pairKey([q.i, q.j]))]);
    const news = asked.filter((q) => !taken.has(pairKey([q.i, q.j])));
    this.queue = [...kept(), ...news].slice(0, AHEAD + 1);
    this.dry = this.queue.length === 0;
  }

  #preload(row: Row) {
    if (!row.has_image) return;
    const image = new Image();
    image.src = api.image(this.live.id, row.row);
  }

  answer(verdict: Verdict) {
    const asked = this.current;
    if (!asked) return;
    performance.mark("linkwise:answer");
    this.queue = this.queue.slice(1);
    this.#recent = [...this.#recent.slice(-19), [asked.i, asked.j]];
    const given: Given = { asked, verdict, event: null, receipt: this.#post(asked, verdict) };
    this.given = given;
    given.receipt.then(
      (event) => this.#replace(given, { ...given, event }),
      () => this.#replace(given, null),
    );
    if (this.queue.length < LOW) void this.fill(); // else the new colours will ask, when they are there
  }

  /** A second look that ends otherwise takes the first answer back. */
  #post(asked: Asked, verdict: Verdict): Promise<JournalEvent> {
    const answer: Said = { kind: "answer", payload: { i: asked.i, j: asked.j, verdict } };
    const old = asked.again === undefined ? undefined : this.live.event(asked.again);
    const repeated = old?.kind === "answer" && old.payload.verdict === verdict;
    if (!old || repeated || old.undone_by !== null) return this.live.outbox.postAll([answer])[0];
    const undo: Said = { kind: "undo", payload: { event: old.seq } };
    const [undone, answered] = this.live.outbox.postAll([undo, answer]);
    undone.catch(() => {});
    return answered;
  }

  #replace(given: Given, news: Given | null) {
    if (this.given === given) this.given = news;
  }

  /** Take back what was said last here; the question just answered comes up again. */
  undo() {
    const given = this.given;
    if (given?.event !== null && this.live.outbox.waiting > 0) {
      void this.live.outbox.quiet().then(() => this.undo()); // the last may still be on its way
      return;
    }
    const last = this.#lastOfOurs();
    if (given && (given.event === null || given.event.seq === last?.seq)) {
      this.given = null;
      this.#putBack(given.asked);
      given.receipt.then((event) => this.withdraw(event.seq)).catch(() => {});
    } else if (last) this.withdraw(last.seq);
    else page.tell("There is nothing of yours to take back.");
  }

  #lastOfOurs(): JournalEvent | undefined {
    return this.live.events.findLast(
      (event) =>
        event.kind !== "undo" &&
        event.undone_by === null &&
        !this.#withdrawn.has(event.seq) &&
        this.#ours(event),
    );
  }

  withdraw(seq: number) {
    this.#withdrawn.add(seq);
    const forget = () => this.#withdrawn.delete(seq);
    this.live.outbox.post("undo", { event: seq }).then(forget, forget);
  }

  confirm(i: number, j: number, verdict: string) {
    this.live.outbox.post("answer", { i, j, verdict }).catch(() => {});
  }

  /** Put an earlier pair on the table again. */
  async lookAgain(i: number, j: number, event: number) {
    const [[a, b]] = await Promise.all([this.live.rows([i, j]), this.live.need([event])]);
    this.#putBack({ i, j, a, b, again: event, why: "A second look at an earlier answer." });
  }

  #putBack(asked: Asked) {
    const key = pairKey([asked.i, asked.j]);
    this.#recent = this.#recent.filter((pair) => pairKey(pair) !== key);
    this.queue = [asked, ...this.queue.filter((q) => pairKey([q.i, q.j]) !== key)];
    this.dry = false;
  }

  #ours(event: JournalEvent): boolean {
    return this.live.isMine(event) || (page.who !== "" && event.who === page.who);
  }
}

function pairKey([i, j]: [number, number]): string {
  return i < j ? `${i}-${j}` : `${j}-${i}`;
}
