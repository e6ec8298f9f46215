/** The rows that the points of a map are: all, or some of very many. */

import { describe, expect, test } from "vitest";
import { Sample } from "../../src/map/sample";

describe("the rows on the map", () => {
  const some = new Sample(Uint32Array.of(2, 5, 9));
  const all = new Sample(null);

  test("has a point for each of its rows and for no other", () => {
    expect([0, 1, 2].map((point) => some.row(point))).toEqual([2, 5, 9]);
    expect([2, 5, 9, 0, 3, 10].map((row) => some.point(row))).toEqual([0, 1, 2, null, null, null]);
    expect(Array.from(some.points(Uint32Array.of(9, 4, 2)))).toEqual([2, 0]);
    expect(Array.from(some.rowsOf(Uint32Array.of(2, 0)))).toEqual([9, 2]);
    expect(some.isWhole).toBe(false);
  });

  test("takes the values of its rows out of those of all", () => {
    expect(Array.from(some.of(Uint8Array.of(0, 10, 20, 30, 40, 50, 60, 70, 80, 90)))).toEqual([20, 50, 90]);
    const own = Uint8Array.of(1, 2, 3);
    expect(some.of(own)).toBe(own);
  });

  test("changes nothing where all rows are on the map", () => {
    const rows = Uint32Array.of(4, 1);
    const labels = Uint16Array.of(7, 8);
    expect(all.isWhole).toBe(true);
    expect([all.row(3), all.point(3)]).toEqual([3, 3]);
    expect([all.points(rows), all.rowsOf(rows), all.of(labels)]).toEqual([rows, rows, labels]);
  });
});
