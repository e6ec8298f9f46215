/** What is said elsewhere, or of chosen rows, answers questions that wait to be asked. */

import { describe, expect, test } from "vitest";
import type { Question } from "../../src/api/types";
import { settles, settlesSet } from "../../src/state/settling";
import { event } from "../events";

const BARE = { guess: "same", why: "", among: [], one: [], other: [], third: [], drawn: false, again: null };
const PAIR = { ...BARE, kind: "pair", i: 1, j: 4 } as Question;
const CHOICE = { ...BARE, kind: "choice", i: 1, j: 4, among: [4, 7] } as Question;
const GROUPS = { ...BARE, kind: "groups", i: 1, j: 4, one: [1, 2], other: [4, 5], third: [7, 8] } as Question;

describe("an answer about two rows", () => {
  const said = (i: number, j: number) => event("answer", { i, j, verdict: "different" });

  test.each([
    [PAIR, [4, 1], [1, 7]],
    [CHOICE, [7, 1], [4, 7]],
    [GROUPS, [1, 4], [2, 5]],
  ])("settles a question of kind %o", (asked, about, besides) => {
    expect(settles(said(about[0], about[1]), asked)).toBe(true);
    expect(settles(said(besides[0], besides[1]), asked)).toBe(false);
  });
});

describe("rows that were put together", () => {
  test.each([
    [PAIR, [0, 1, 4], [1, 2, 3]],
    [CHOICE, [1, 7], [4, 7]], // beside any of the examples
    [GROUPS, [2, 5], [1, 2]], // whichever rows of two groups
  ])("settle a question of kind %o", (asked, rows, others) => {
    expect(settles(event("together", { rows }), asked)).toBe(true);
    expect(settles(event("label", { rows, name: "lilies" }), asked)).toBe(true);
    expect(settles(event("together", { rows: others }), asked)).toBe(false);
  });
});

describe("rows that belong nowhere", () => {
  test.each([
    [PAIR, true, true],
    [CHOICE, true, false], // there are other examples
    [GROUPS, false, false],
  ])("settle a question of kind %o", (asked, first, second) => {
    expect(settles(event("nowhere", { rows: [1] }), asked)).toBe(first);
    expect(settles(event("nowhere", { rows: [4] }), asked)).toBe(second);
  });
});

describe("rows that all differ", () => {
  test("settle a pair and a choice, and say nothing of whole groups", () => {
    const settled = [PAIR, CHOICE, GROUPS].map((asked) => settlesSet("different", [1, 4], asked));
    expect(settled).toEqual([true, true, false]);
  });
});
