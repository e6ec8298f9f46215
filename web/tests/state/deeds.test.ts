import { describe, expect, test } from "vitest";
import { deeds, keyOf, wholeDeeds } from "../../src/state/deeds";
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

  test("many pairs are told by their number, and every two of some rows as such", () => {
    const apart = (i: number, j: number) => event("answer", { i, j, verdict: "different" });
    const told = (...deed: ReturnType<typeof apart>[]) => sentenceOfDeed(deed, (row) => row, []);
    expect(told(apart(1, 2), apart(1, 3), apart(2, 3))).toBe("3 rows are all different");
    expect(told(apart(1, 2), apart(3, 4))).toBe("2 pairs: different");
  });

  test("of which the beginning is not known are left out", () => {
    const known = [7, 8].map((seq) => answer({ seq, key: keyOf("a", seq - 5) }));
    const whole = [9, 10].map((seq) => answer({ seq, key: keyOf("b", seq - 9) }));
    expect(wholeDeeds([...known, ...whole])).toEqual([whole]);
    expect(wholeDeeds(whole)).toEqual([whole]);
    expect(wholeDeeds([])).toEqual([]);
  });

  test("what came with a file is one, and shown when its beginning is known", () => {
    const imported = (seq: number, when: string) => answer({ seq, when, key: `import-${seq}` });
    const [one, other] = [[2, 3, 4].map((seq) => imported(seq, "at noon")), [imported(5, "later")]];
    expect(deeds([...one, ...other])).toEqual([one, other]);
    expect(wholeDeeds([...one, ...other])).toEqual([other]);
    expect(wholeDeeds([answer({ seq: 1 }), ...one])).toHaveLength(2);
    expect(sentenceOfDeed(one, (row) => row, [])).toBe("3 statements from a file");
  });

  test("a deed that was taken back is told by its numbers", () => {
    const told = [event("undo", { event: 4 }), event("undo", { event: 6 }), event("undo", { event: 5 })];
    expect(sentenceOfDeed(told, (row) => row, [])).toBe("Took back numbers 4 to 6");
  });
});
