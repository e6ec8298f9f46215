/**
 * Answers on their way to the journal, in order. Each carries a key, so one that was sent twice counts once;
 * what could not be sent is kept in the browser and sent again, also after the page was closed.
 */

import { Refused, Unreachable, api, freshKey } from "../api/client";
import type { Entry, JournalEvent } from "../api/types";
import { deedOfKey, keyOf } from "./deeds";
import { page } from "./page.svelte";

interface Letter extends Entry {
  who: string;
  follows: boolean; // is sent once what was said before it has arrived, and not at all if that was refused
}

const BATCH = 200;
const PAUSE = 1000;

export class Outbox {
  waiting = $state(0);
  /** How many clicks these are. */
  deeds = $state(0);
  /** The keys of all that was said here, known before the journal tells of it. */
  readonly issued = new Set<string>();
  #idle: (() => void)[] = [];
  #letters: Letter[] = [];
  #receipts = new Map<string, { done(event: JournalEvent): void; failed(error: unknown): void }>();
  #sending = false;
  #stopped = false;
  readonly #place: string;

  constructor(
    private readonly session: string,
    private readonly arrived: (events: JournalEvent[]) => void,
    private readonly reached: (ok: boolean) => void,
    /** What people read of a refusal. */
    private readonly worded: (sentence: string) => string = (sentence) => sentence,
  ) {
    const shelf = `linkwise.outbox.${session}.`;
    this.#place = shelf + freshKey(); // each tab has its own, so that none overwrites another's
    this.#letters = adopt(shelf);
    this.#letters.forEach(({ key }) => this.issued.add(key));
    this.#count();
    void this.#send();
  }

  /** Resolves when the answer is safely in the journal. */
  post(kind: Entry["kind"], payload: Record<string, unknown>): Promise<JournalEvent> {
    return this.postAll([{ kind, payload }])[0];
  }

  /** Several at once: they reach the journal together, in this order, and are one deed. */
  postAll(entries: Omit<Entry, "key">[]): Promise<JournalEvent>[] {
    return this.#post(entries, false);
  }

  /** Several of which each is about what the one before has made of the clusters; they are one deed. */
  postInTurn(entries: Omit<Entry, "key">[]): Promise<JournalEvent>[] {
    return this.#post(entries, true);
  }

  #post(entries: Omit<Entry, "key">[], inTurn: boolean): Promise<JournalEvent>[] {
    const deed = freshKey();
    const receipts = entries.map((entry, k) => {
      const key = entries.length === 1 ? deed : keyOf(deed, k);
      const letter = { ...entry, key, who: page.who, follows: inTurn && k > 0 };
      this.#letters.push(letter);
      this.issued.add(letter.key);
      return new Promise<JournalEvent>((done, failed) => this.#receipts.set(letter.key, { done, failed }));
    });
    this.#count();
    void this.#send();
    return receipts;
  }

  /** Resolves when nothing is on its way. */
  quiet(): Promise<void> {
    return new Promise((done) => (this.waiting === 0 ? done() : this.#idle.push(done)));
  }

  stop() {
    this.#stopped = true;
  }

  async #send() {
    if (this.#sending || this.#stopped || this.#letters.length === 0) return;
    this.#sending = true;
    const who = this.#letters[0].who;
    const other = this.#letters.findIndex((letter, k) => letter.who !== who || (k > 0 && letter.follows));
    const batch = this.#letters.slice(0, Math.min(BATCH, other < 0 ? BATCH : other));
    try {
      await this.#deliver(batch, who);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.reached(false);
      await new Promise((wake) => setTimeout(wake, PAUSE));
    } finally {
      this.#sending = false;
    }
    void this.#send();
  }

  async #deliver(batch: Letter[], who: string) {
    const entries = batch.map(({ kind, payload, key }) => ({ kind, payload, key }));
    try {
      const { events } = await api.append(this.session, entries, who);
      this.reached(true);
      this.#letters.splice(0, batch.length);
      this.#count();
      this.arrived(events);
      batch.forEach((letter, k) => this.#receipt(letter.key)?.done(events[k]));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 401 || error.status >= 500) throw new Unreachable(error.message);
      if (batch.length > 1) return void (await this.#oneByOne(batch, who));
      const next = this.#letters.findIndex((letter, k) => k > 0 && !letter.follows);
      const refused = this.#letters.splice(0, next < 0 ? this.#letters.length : next);
      this.#count();
      page.tell(this.worded(error.message), "error");
      refused.forEach(({ key }) => this.#receipt(key)?.failed(error));
    }
  }

  /** A batch is stored whole or not at all: find out which of its letters was the bad one. */
  async #oneByOne(batch: Letter[], who: string) {
    for (const letter of batch) await this.#deliver([letter], who);
  }

  #receipt(key: string) {
    const receipt = this.#receipts.get(key);
    this.#receipts.delete(key);
    return receipt;
  }

  #count() {
    this.waiting = this.#letters.length;
    this.deeds = new Set(this.#letters.map(({ key }) => deedOfKey(key))).size;
    try {
      if (this.#letters.length > 0) localStorage.setItem(this.#place, JSON.stringify(this.#letters));
      else localStorage.removeItem(this.#place);
    } catch {
      // Without storage the letters wait in memory only.
    }
    if (this.waiting === 0) this.#idle.splice(0).forEach((done) => done());
  }
}

/** Take over what tabs that are gone left behind. A tab that is not gone sends it too; it counts once. */
function adopt(shelf: string): Letter[] {
  try {
    const places = Object.keys(localStorage).filter((place) => place.startsWith(shelf));
    const letters = places.flatMap((place) => JSON.parse(localStorage.getItem(place) ?? "[]") as Letter[]);
    places.forEach((place) => localStorage.removeItem(place));
    return letters;
  } catch {
    return []; // storage may be switched off
  }
}
