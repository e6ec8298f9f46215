/** What moved and why: the counts, and the sentence made of them. */

import { describe, expect, test } from "vitest";
import { causeOf, flows, fromOne, nameOf, rowsOf, several, tell } from "../../src/state/trace";
import { answer, cluster, event } from "../events";

const CLUSTERS = [cluster(0, "ones"), cluster(1, "sevens"), cluster(2, "")];

describe("flows", () => {
  test("counts moves by where they came from and went to, largest first", () => {
    const old = Uint8Array.from([0, 0, 1, 1, 1, 2]);
    const rows = Uint32Array.from([0, 2, 3, 5]);
    const now = Uint8Array.from([1, 0, 0, 0]); // the labels of these rows, in their order
    expect(flows(rows, old, now)).toEqual([
      [1, 0, 2],
      [0, 1, 1],
      [2, 0, 1],
    ]);
  });

  test("leaves out rows that stayed where they were", () => {
    const labels = Uint8Array.from([4, 4]);
    expect(flows(Uint32Array.from([0, 1]), labels, labels)).toEqual([]);
  });

  test("keeps cluster numbers of two bytes apart", () => {
    const old = Uint16Array.from([65_535, 1]);
    const now = Uint16Array.from([1, 65_535]);
    expect(flows(Uint32Array.from([0, 1]), old, now)).toEqual([
      [65_535, 1, 1],
      [1, 65_535, 1],
    ]);
  });
});

describe("tell", () => {
  test("names the largest move and counts the others", () => {
    const sentence = tell(
      [
        [1, 0, 1038],
        [0, 1, 7],
        [2, 0, 5],
      ],
      CLUSTERS,
      " after your answer",
    );
    expect(sentence).toBe("1,038 rows moved from sevens to ones, and 12 more elsewhere after your answer.");
  });

  test("says one row as one row, and nothing of others where there are none", () => {
    expect(tell([[0, 1, 1]], CLUSTERS, "")).toBe("1 row moved from ones to sevens.");
  });

  test("says so when nothing moved", () => {
    expect(tell([], CLUSTERS, " after 3 changes")).toBe("No row moved after 3 changes.");
  });
});

describe("causeOf", () => {
  test("says nothing about nothing", () => {
    expect(causeOf([], new Set())).toBe("");
  });

  test("tells whose deed it was", () => {
    const mine = new Set(["k"]);
    expect(causeOf([answer({ key: "k", who: "Ana" })], mine)).toBe(" after your answer");
    expect(causeOf([event("undo", { event: 1 }, { key: "x", who: "Ana" })], mine)).toBe(" after Ana’s undo");
    expect(causeOf([event("merge", { clusters: [0, 1] })], mine)).toBe(" after another join");
    expect(causeOf([event("together", { rows: [1, 2] }, { key: "k" })], mine)).toBe(" after your grouping");
  });

  test("tells of one's own deed and counts the others", () => {
    const all = [answer({ seq: 1 }), answer({ seq: 2, key: "k" }), answer({ seq: 3 })];
    expect(causeOf(all, new Set(["k"]))).toBe(" after your answer and 2 other changes");
  });

  test("takes events that were sent together for one deed", () => {
    const all = [answer({ seq: 1, key: "k/0" }), answer({ seq: 2, key: "k/1" })];
    expect(causeOf(all, new Set(["k/0", "k/1"]))).toBe(" after your answer");
  });
});

describe("words for numbers and clusters", () => {
  test("have a plural where one is needed", () => {
    expect([several(0, "step"), several(1, "step"), rowsOf(70_000)]).toEqual([
      "0 steps",
      "1 step",
      "70,000 rows",
    ]);
  });

  test("fall back to the number where a cluster has no name or is not known", () => {
    expect([0, 2, 9].map((number) => nameOf(CLUSTERS, number))).toEqual(["ones", "cluster 3", "cluster 10"]);
  });
});

describe("fromOne", () => {
  test("calls clusters what they are called here, and counts the others from one", () => {
    const clusters = [cluster(0, "cluster 1"), cluster(1, "sevens")];
    expect(fromOne("Between cluster 0, cluster 1 and cluster 9.", clusters)).toBe(
      "Between cluster 1, sevens and cluster 10.",
    );
    expect(fromOne("there is no cluster 7; they are numbered 0 to 6.", clusters)).toBe(
      "there is no cluster 8; they are numbered 1 to 7.",
    );
    expect(fromOne("2 clusters look wrong", clusters)).toBe("2 clusters look wrong");
  });
});
