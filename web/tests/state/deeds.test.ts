import { describe, expect, test } from "vitest";
import { deeds, keyOf } from "../../src/state/deeds";
import { sentenceOfDeed } from "../../src/state/words";
import { answer, event } from "../events";

describe("deeds", () => {
  test("are events that were sent together", () => {
    const all = [
      answer({ seq: 1, key: keyOf("a", 0) }),
      answer({ seq: 2, key: keyOf("a", 1) }),
      answer({ seq: 3, key: "b" }),
      answer({ seq: 4, key: null }),
      answer({ seq: 5, key: "c/0" }), // as earlier versions wrote it
      answer({ seq: 6, key: "c/1" }),
    ];
    expect(deeds(all).map((deed) => deed.map(({ seq }) => seq))).toEqual([[1, 2], [3], [4], [5, 6]]);
  });

  test("a choice is told as one sentence", () => {
    const told = [
      event("answer", { i: 1, j: 2, verdict: "different" }),
      event("answer", { i: 1, j: 3, verdict: "same" }),
    ];
    expect(sentenceOfDeed(told, (row) => row, [])).toBe("1 belongs with 3, not with 2");
  });

  test("a deed that was taken back is told by its numbers", () => {
    const told = [event("undo", { event: 4 }), event("undo", { event: 6 }), event("undo", { event: 5 })];
    expect(sentenceOfDeed(told, (row) => row, [])).toBe("Took back numbers 4 to 6");
  });
});
