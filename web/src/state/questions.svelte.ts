/** The questions to come, fetched ahead with the rows and pictures they show, and the answer just given. */

import { type Wanted, api } from "../api/client";
import type { Entry, JournalEvent, Question, Row, Verdict } from "../api/types";
import { deeds } from "./deeds";
import type { Live } from "./live.svelte";
import { page, remember, remembered } from "./page.svelte";
import { type OfSet, groupsOf, nameOf, settles, settlesSet } from "./settling";

const AHEAD = 8;
const LOW = 4;
const OVERLAP = 0.1; // of the questions, once several people answer

type Said = Omit<Entry, "key">;
export type Kind = Wanted["kind"];

export interface Asked extends Question {
  a: Row;
  b: Row;
  examples: Row[]; // of a choice
  groups: Row[][]; // of a question about groups: two or three
}

export interface Given {
  asked: Asked;
  words: string; // "same", "none of these"
  agrees: boolean | null; // whether the clustering had thought so; null: it is not known
  events: JournalEvent[] | null; // null until they are in the journal
  receipts: Promise<JournalEvent[]>;
}

export class Questions {
  queue = $state.raw<Asked[]>([]);
  given = $state.raw<Given | null>(null);
  kind = $state<Kind>("auto");
  dry = $state(false); // the service has no question left
  current = $derived(this.queue[0] ?? null);

  #fetching = false;
  #stale = false;
  #withdrawn = new Set<number>(); // undos on their way
  #recent: [number, number][] = []; // answered here, perhaps not yet known there
  #count: number; // of questions this person was asked here

  constructor(private readonly live: Live) {
    this.kind = remembered("questions", "auto") as Kind;
    this.#count = Number(remembered(`asked.${live.id}`, "0")) || 0;
    live.onHeard((event) => this.#heard(event));
  }

  setKind(kind: Kind) {
    this.kind = kind;
    remember("questions", kind);
    this.queue = [];
    void this.fill(true);
  }

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
    const { kind } = this;
    const kept = () => (afresh ? this.queue.slice(0, 1) : this.queue);
    const fresh = await api.questions(this.live.id, {
      n: AHEAD,
      kind,
      skip: [...this.#recent, ...kept().map(nameOf)],
      who: page.who || page.nobody,
      formerly: page.nobody,
      overlap: (this.live.people?.people.length ?? 0) > 1 && page.who !== "" ? OVERLAP : 0,
      asked: this.#count + kept().length,
    });
    const asked = await this.#shown(fresh);
    if (kind !== this.kind) return;
    const taken = new Set([...this.#recent.map(String), ...kept().map((q) => String(nameOf(q)))]);
    const news = asked.filter((q) => !taken.has(String(nameOf(q))));
    this.queue = [...kept(), ...news].slice(0, AHEAD + 1);
    this.dry = this.queue.length === 0;
  }

  /** The questions with the rows they show. */
  async #shown(questions: Question[]): Promise<Asked[]> {
    const wanted = questions.flatMap((q) => [q.i, q.j, ...q.among, ...groupsOf(q).flat()]);
    const found = new Map((await this.live.rows([...new Set(wanted)])).map((row) => [row.row, row]));
    found.forEach((row) => this.#preload(row));
    const all = (rows: number[]) => rows.map((row) => found.get(row)!);
    return questions.map((q) => ({
      ...q,
      a: found.get(q.i)!,
      b: found.get(q.j)!,
      examples: all(q.among),
      groups: groupsOf(q).map(all),
    }));
  }

  #preload(row: Row) {
    if (!row.has_image) return;
    const image = new Image();
    image.src = api.image(this.live.id, row.row);
  }

  /** What somebody else has answered meanwhile leaves the screen. */
  #heard(event: JournalEvent) {
    if (!this.live.isMine(event)) this.#leave((asked) => settles(event, asked));
  }

  /** What was said of rows that were chosen on the map is not asked any more. */
  spokenOf(kind: OfSet, rows: Iterable<number>) {
    this.#leave((asked) => settlesSet(kind, rows, asked));
  }

  #leave(isSettled: (asked: Asked) => boolean) {
    const queue = this.queue.filter((asked) => asked.again !== null || !isSettled(asked));
    if (queue.length === this.queue.length) return;
    this.queue = queue;
    void this.fill();
  }

  /** Whether two rows belong together. */
  answer(verdict: Verdict) {
    const asked = this.current;
    if (asked?.kind !== "pair") return;
    const answer: Said = { kind: "answer", payload: { i: asked.i, j: asked.j, verdict } };
    const old = asked.again === null ? undefined : this.live.event(asked.again);
    const repeated = old?.kind === "answer" && old.payload.verdict === verdict;
    const taken: Said[] =
      !old || repeated || old.undone_by !== null ? [] : [{ kind: "undo", payload: { event: old.seq } }];
    const guess = this.#opinion(asked.i, asked.j);
    this.#give([...taken, answer], WORDS[verdict], verdict === "unsure" ? null : guess === verdict);
  }

  /** With which of the examples a row belongs; null: with none of them. */
  choose(example: number | null | "unsure") {
    const asked = this.current;
    if (asked?.kind !== "choice") return;
    const verdict = (row: number): Verdict =>
      example === "unsure" ? "unsure" : row === example ? "same" : "different";
    const said = asked.among.map((row): Said => {
      return { kind: "answer", payload: { i: asked.i, j: row, verdict: verdict(row) } };
    });
    const chosen = asked.examples.find((row) => row.row === example);
    const words =
      example === "unsure" ? WORDS.unsure : chosen ? `it belongs with ${chosen.id}` : "none of these";
    const agrees =
      example === "unsure" ? null : asked.among.every((row) => this.#opinion(asked.i, row) === verdict(row));
    this.#give(said, words, agrees);
  }

  /** Which thing each group is, 0 or 1 or 2; rows that were taken out are not spoken about. */
  decide(things: number[] | "unsure", out: ReadonlySet<number>) {
    const asked = this.current;
    if (asked?.kind !== "groups") return;
    const meant = groupsOf(asked).map((rows) => rows.filter((row) => !out.has(row)));
    const said = things === "unsure" ? [pair(asked.i, asked.j, "unsure")] : saidOf(meant, things);
    if (said.length === 0) return;
    const count = things === "unsure" ? 0 : new Set(things).size;
    this.#give(
      said,
      COUNTED[count] ?? WORDS.unsure,
      things === "unsure" ? null : this.#thinks(meant, things),
    );
  }

  /** Whether the clustering has the groups as these things. */
  #thinks(groups: number[][], things: number[]): boolean {
    return groups.every((one, a) =>
      groups.every((other, b) => {
        if (one.length === 0 || other.length === 0) return true;
        return (this.#opinion(one[0], other[0]) === "same") === (things[a] === things[b]);
      }),
    );
  }

  #opinion(i: number, j: number): Verdict {
    return this.live.labels[i] === this.live.labels[j] ? "same" : "different";
  }

  #give(said: Said[], words: string, agrees: boolean | null) {
    const asked = this.current;
    performance.mark("linkwise:answer");
    this.queue = this.queue.slice(1);
    this.#recent = [...this.#recent.slice(-19), nameOf(asked)];
    this.#count += 1;
    remember(`asked.${this.live.id}`, String(this.#count));
    const receipts = Promise.all(this.live.outbox.postAll(said));
    const given: Given = { asked, words, agrees, events: null, receipts };
    this.given = given;
    receipts.then(
      (events) => this.#replace(given, { ...given, events }),
      () => this.#replace(given, null),
    );
    if (this.queue.length < LOW) void this.fill(); // else the new colours will ask, when they are there
  }

  #replace(given: Given, news: Given | null) {
    if (this.given === given) this.given = news;
  }

  /** Take back what was said last here; the question just answered comes up again. */
  undo() {
    const given = this.given;
    if (given?.events !== null && this.live.outbox.waiting > 0) {
      void this.live.outbox.quiet().then(() => this.undo()); // the last may still be on its way
      return;
    }
    const last = this.#lastOfOurs();
    if (given && (given.events === null || given.events.at(-1)!.seq === last?.at(-1)?.seq)) {
      this.given = null;
      this.#putBack(given.asked);
      given.receipts.then((events) => this.withdraw(events)).catch(() => {});
    } else if (last) this.withdraw(last);
    else page.tell("There is nothing of yours to take back.");
  }

  #lastOfOurs(): JournalEvent[] | undefined {
    return deeds(this.live.events).findLast(
      ([event]) =>
        event.kind !== "undo" &&
        event.undone_by === null &&
        !this.#withdrawn.has(event.seq) &&
        this.live.isOurs(event),
    );
  }

  /** Take back a whole deed; of an answer that was changed, the new one goes and the old comes back. */
  withdraw(events: readonly JournalEvent[]) {
    this.withdrawAll(events.filter((event) => event.undone_by === null).map((event) => event.seq));
  }

  withdrawAll(seqs: number[]) {
    seqs.forEach((seq) => this.#withdrawn.add(seq));
    const undos = seqs.map((event): Said => ({ kind: "undo", payload: { event } }));
    if (undos.length === 0) return;
    this.live.outbox.postAll(undos).forEach((receipt, k) => {
      const forget = () => this.#withdrawn.delete(seqs[k]);
      receipt.then(forget, forget);
    });
  }

  /** Say a set of rows again without one of them. */
  takeOut(event: JournalEvent, row: number) {
    if (event.kind !== "together" && event.kind !== "label" && event.kind !== "nowhere") return;
    const rows = event.payload.rows.filter((each) => each !== row);
    const payload = event.kind === "label" ? { rows, name: event.payload.name } : { rows };
    const fewest = event.kind === "together" ? 2 : 1;
    const left: Said[] = rows.length >= fewest ? [{ kind: event.kind, payload }] : [];
    const undo: Said = { kind: "undo", payload: { event: event.seq } };
    this.live.outbox.postAll([undo, ...left]).forEach((receipt) => void receipt.catch(() => {}));
  }

  confirm(i: number, j: number, verdict: string) {
    this.live.outbox.post("answer", { i, j, verdict }).catch(() => {});
  }

  /** Put an earlier pair on the table again. */
  async lookAgain(i: number, j: number, event: number) {
    await this.live.need([event]);
    this.#putBack(await this.#pair(i, j, event));
  }

  /** Compare any two rows: they become the next question. */
  async compare(i: number, j: number) {
    this.#putBack(await this.#pair(i, j, null));
  }

  async #pair(i: number, j: number, again: number | null): Promise<Asked> {
    const why = again === null ? "You wanted to compare these." : "A second look at an earlier answer.";
    const bare = { among: [], one: [], other: [], third: [], drawn: false };
    return (await this.#shown([{ i, j, again, why, kind: "pair", ...bare }]))[0];
  }

  #putBack(asked: Asked) {
    const key = String(nameOf(asked));
    this.#recent = this.#recent.filter((pair) => String(pair) !== key);
    this.queue = [asked, ...this.queue.filter((q) => String(nameOf(q)) !== key)];
    this.dry = false;
  }
}

const COUNTED: Record<number, string> = { 1: "one thing", 2: "two things", 3: "three things" };
const WORDS: Record<Verdict, string> = { same: "same", different: "different", unsure: "cannot tell" };

const APART = 5; // pairs that stand for two things being different

/** Said twice, which confirms it, as rows put together are: whoever tells two groups apart has seen them whole. */
function apart(one: number[], other: number[]): Said[] {
  const pairs = one.slice(0, Math.min(APART, other.length)).map((row, k) => pair(row, other[k], "different"));
  return [...pairs, ...pairs];
}

const pair = (i: number, j: number, verdict: Verdict): Said => ({
  kind: "answer",
  payload: { i, j, verdict },
});

/**
 * What is said of groups when each is the thing with its number: its rows are together, and rows of two things
 * differ, which some pairs stand for.
 */
export function saidOf(groups: number[][], things: number[]): Said[] {
  const rows = [...new Set(things)].map((thing) => groups.filter((_, k) => things[k] === thing).flat());
  const told = rows.filter((each) => each.length > 0);
  const together = told.filter((each) => each.length > 1);
  return [
    ...together.map((each): Said => ({ kind: "together", payload: { rows: each } })),
    ...told.flatMap((one, a) => told.slice(a + 1).flatMap((other) => apart(one, other))),
  ];
}
