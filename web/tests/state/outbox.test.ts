/** Answers on their way: each arrives once and in order, whatever the service does meanwhile. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Refused, Unreachable, api } from "../../src/api/client";
import type { Entry, JournalEvent } from "../../src/api/types";
import { Outbox } from "../../src/state/outbox.svelte";
import { page } from "../../src/state/page.svelte";
import { answer } from "../events";

const tell = vi.hoisted(() => vi.fn());
vi.mock("../../src/state/page.svelte", () => ({ page: { who: "Ana", tell } }));

const BAD = 9; // a row the service refuses

/** The service: a journal that knows keys, refuses BAD rows with the whole batch, and can be out of reach. */
class Service {
  journal: { key: string; i: number; who: string }[] = [];
  batches: number[] = [];
  failures: Error[] = [];

  append = (_session: string, entries: Entry[], who: string): Promise<{ events: JournalEvent[] }> => {
    this.batches.push(entries.length);
    const failure = this.failures.shift();
    if (failure) return Promise.reject(failure);
    if (entries.some((entry) => entry.payload.i === BAD))
      return Promise.reject(new Refused(422, "answer: i is 9, outside the 9 rows (0 to 8)."));
    return Promise.resolve({ events: entries.map((entry) => this.#store(entry, who)) });
  };

  #store({ key, payload }: Entry, who: string): JournalEvent {
    if (!this.journal.some((known) => known.key === key))
      this.journal.push({ key, i: payload.i as number, who });
    return answer({ seq: this.journal.findIndex((known) => known.key === key) + 1, key });
  }
}

/** The browser's storage: what was kept is there as a key of its own, as in a browser. */
function storage(kept: Record<string, string> = {}): Storage {
  const methods = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
    removeItem: (key: string) => void delete kept[key],
  };
  return new Proxy(kept, {
    get: (_, name: string) => methods[name as keyof typeof methods],
  }) as unknown as Storage;
}

const said = (i: number) => ({ kind: "answer" as const, payload: { i, j: 1, verdict: "same" } });

let service: Service;
let arrived: JournalEvent[];
let reached: boolean[];

function open(): Outbox {
  return new Outbox(
    "digits",
    (events) => arrived.push(...events),
    (ok) => reached.push(ok),
    (sentence) => sentence.replace("i is 9", "i is the last"),
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  service = new Service();
  [arrived, reached] = [[], []];
  page.who = "Ana";
  vi.stubGlobal("localStorage", storage());
  vi.spyOn(api, "append").mockImplementation(service.append);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

describe("Outbox", () => {
  test("gives a receipt once an answer is in the journal", async () => {
    const outbox = open();
    const receipt = outbox.post("answer", said(4).payload);
    expect(outbox.waiting).toBe(1);
    expect((await receipt).seq).toBe(1);
    expect(outbox.waiting).toBe(0);
    expect(arrived.map((event) => event.seq)).toEqual([1]);
    expect(service.journal).toEqual([{ key: arrived[0].key, i: 4, who: "Ana" }]);
    expect(outbox.issued.has(arrived[0].key!)).toBe(true);
  });

  test("sends what is said together in one batch and in its order", async () => {
    await Promise.all(open().postAll([said(3), said(2), said(5)]));
    expect(service.batches).toEqual([3]);
    expect(service.journal.map(({ i }) => i)).toEqual([3, 2, 5]);
  });

  test("sends again after a while what did not get through, and it counts once", async () => {
    service.failures = [new Unreachable(""), new Refused(503, "busy"), new Refused(401, "who are you?")];
    const outbox = open();
    const receipt = outbox.post("answer", said(4).payload);
    await vi.advanceTimersByTimeAsync(2900);
    expect(outbox.waiting).toBe(1);
    expect(reached).toEqual([false, false, false]);
    await vi.advanceTimersByTimeAsync(200);
    expect((await receipt).seq).toBe(1);
    expect(reached).toEqual([false, false, false, true]);
    expect(service.journal).toHaveLength(1);
  });

  test("tells of an answer the service refuses, and sends the others of its batch", async () => {
    const outbox = open();
    const results = await Promise.allSettled(outbox.postAll([said(3), said(BAD), said(5)]));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(service.journal.map(({ i }) => i)).toEqual([3, 5]);
    expect(tell).toHaveBeenCalledExactlyOnceWith(
      "answer: i is the last, outside the 9 rows (0 to 8).",
      "error",
    );
    expect(outbox.waiting).toBe(0);
  });

  test("sends one after the other what is said in turn", async () => {
    const outbox = open();
    const [first, second] = await Promise.all(outbox.postInTurn([said(3), said(2)]));
    expect(service.batches).toEqual([1, 1]);
    expect([first.key, second.key].map((key) => key!.split("#")[1])).toEqual(["0", "1"]);
    expect(first.key!.split("#")[0]).toBe(second.key!.split("#")[0]);
  });

  test("leaves out what was to follow something that was refused, and nothing else", async () => {
    const outbox = open();
    const results = [...outbox.postInTurn([said(BAD), said(2)]), ...outbox.postAll([said(4), said(5)])];
    const ends = (await Promise.allSettled(results)).map(({ status }) => status);
    expect(ends).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(service.journal.map(({ i }) => i)).toEqual([4, 5]);
    expect(tell).toHaveBeenCalledTimes(1);
  });

  test("does not put one person's answers under another's name", async () => {
    const outbox = open();
    service.failures = [new Unreachable("")]; // so that both wait
    const first = outbox.post("answer", said(3).payload);
    page.who = "Bob";
    const second = outbox.post("answer", said(5).payload);
    await vi.advanceTimersByTimeAsync(1100);
    await Promise.all([first, second]);
    expect(service.journal.map(({ i, who }) => [i, who])).toEqual([
      [3, "Ana"],
      [5, "Bob"],
    ]);
  });

  test("keeps what waits in the browser, for the page that is opened next", async () => {
    const kept: Record<string, string> = {};
    vi.stubGlobal("localStorage", storage(kept));
    service.failures = [new Unreachable("")];
    const closed = open();
    closed.post("answer", said(4).payload).catch(() => {});
    closed.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(service.journal).toEqual([]);

    const next = open();
    expect(next.waiting).toBe(1);
    await next.quiet();
    expect(service.journal.map(({ i, who }) => [i, who])).toEqual([[4, "Ana"]]);
    expect(kept).toEqual({});
  });

  test("leaves what waits for another session alone", () => {
    const other = JSON.stringify([{ ...said(4), key: "k", who: "Ana" }]);
    vi.stubGlobal("localStorage", storage({ "linkwise.outbox.flowers.x": other }));
    expect(open().waiting).toBe(0);
  });

  test("works without storage, in memory alone", async () => {
    vi.stubGlobal("localStorage", undefined);
    expect((await open().post("answer", said(4).payload)).seq).toBe(1);
  });
});
