/** Events of the journal in words. */

import { afterEach, describe, expect, test, vi } from "vitest";
import type { JournalEvent } from "../../src/api/types";
import { moment, rowsIn, sentence, sentenceOfDeed } from "../../src/state/words";
import { cluster, event } from "../events";

const CLUSTERS = [cluster(0, "ones"), cluster(1, "sevens")];
const IDS = ["ann", "bob", "eve"];

describe("sentence", () => {
  test.each<[string, JournalEvent]>([
    ["ann and eve: same", event("answer", { i: 0, j: 2, verdict: "same" })],
    ["bob and ann: different", event("answer", { i: 1, j: 0, verdict: "different" })],
    ["ann and bob: cannot tell", event("answer", { i: 0, j: 1, verdict: "unsure" })],
    ["2 rows named “tall”", event("label", { rows: [0, 1], name: "tall" })],
    ["3 rows belong together", event("together", { rows: [0, 1, 2] })],
    ["Took back number 4", event("undo", { event: 4 })],
    ["Cluster 2 is called “eights”", event("rename", { cluster: 1, name: "eights" })],
    ["Joined sevens and ones", event("merge", { clusters: [1, 0] })],
    ["Split cluster 6 in two", event("split", { cluster: 5 })],
  ])("says: %s", (expected, said) => {
    expect(sentence(said, (row) => IDS[row], CLUSTERS)).toBe(expected);
  });
});

describe("sentenceOfDeed", () => {
  const told = (...deed: JournalEvent[]) => sentenceOfDeed(deed, (row) => IDS[row], CLUSTERS);
  const together = (...rows: number[]) => event("together", { rows });
  const different = event("answer", { i: 0, j: 2, verdict: "different" });

  test("says of groups how many things they are, and not the pairs that stand for it", () => {
    expect(told(together(0, 1), together(2, 3, 4), different, different)).toBe(
      "2 rows and 3 rows: two things",
    );
    expect(told(together(0, 1), together(2, 3), together(4, 5), different)).toBe(
      "2 rows, 2 rows and 2 rows: three things",
    );
    expect(told(together(0, 1))).toBe("2 rows belong together");
  });

  test("says with which of some a row belongs", () => {
    const same = event("answer", { i: 0, j: 1, verdict: "same" });
    expect(told(same, different)).toBe("ann belongs with bob, not with eve");
    expect(told(event("answer", { i: 0, j: 1, verdict: "different" }), different)).toBe(
      "ann belongs with none of bob, eve",
    );
  });
});

describe("rowsIn", () => {
  test("names the rows whose names the sentence needs", () => {
    expect(rowsIn(event("answer", { i: 7, j: 3, verdict: "same" }))).toEqual([7, 3]);
    expect(rowsIn(event("together", { rows: [0, 1, 2] }))).toEqual([]);
  });
});

describe("moment", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("gives the time of today, and the date of any other day", () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 5, 18, 0, 0) });
    expect(moment(new Date(2026, 2, 5, 9, 41, 7).toISOString())).toMatch(/41.07/);
    expect(moment(new Date(2026, 2, 5, 9, 41, 7).toISOString())).not.toContain("2026");
    expect(moment(new Date(2026, 2, 4, 18, 0, 0).toISOString())).toContain("2026");
  });
});
