/** Names of clusters: beside their rows, inside the map, on as few points as there is room for. */

import { describe, expect, test } from "vitest";
import { Crowd, type Wish, cutTo, extents, placed } from "../../src/map/names";

const box = { width: 400, height: 300 };

/** A name whose rows lie in a square around a place. */
function wish(text: string, x: number, y: number, reach = 20): Wish {
  return { text, half: 30, x, y, left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

function crowd(...points: [number, number][]): Crowd {
  const found = new Crowd(box);
  points.forEach(([x, y]) => found.add(x, y));
  return found;
}

describe("names of clusters", () => {
  test("stand above their rows where nothing is in the way", () => {
    expect(placed([wish("a", 200, 150)], crowd(), box, [])).toEqual([{ text: "a", x: 200, y: 121 }]);
  });

  test("stand a little farther away where few rows are in the way", () => {
    expect(placed([wish("a", 200, 150)], crowd([200, 128]), box, [])).toEqual([
      { text: "a", x: 200, y: 111 },
    ]);
  });

  test("stand below where there are points above", () => {
    const above = crowd([180, 121], [200, 121], [220, 121], [200, 108], [180, 108], [220, 108]);
    expect(placed([wish("a", 200, 150)], above, box, [])).toEqual([{ text: "a", x: 200, y: 179 }]);
  });

  test("never run off the map", () => {
    for (const [x, y] of [
      [0, 0],
      [400, 300],
      [399, 2],
      [1, 299],
    ]) {
      const [{ x: at, y: line }] = placed([wish("a", x, y)], crowd(), box, []);
      expect([at - 30 >= 0, at + 30 <= 400, line - 9 >= 0, line + 9 <= 300]).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }
  });

  test("are left out where their rows are off the map", () => {
    expect(placed([wish("a", -1, 150), wish("b", 200, 301)], crowd(), box, [])).toEqual([]);
  });

  test("do not lie on each other nor under the tools", () => {
    const tools: [number, number, number, number] = [0, 0, 400, 80];
    const all = placed([wish("a", 200, 100), wish("b", 205, 102)], crowd(), box, [tools]);
    expect(all).toHaveLength(2);
    const [a, b] = all;
    expect(Math.abs(a.x - b.x) >= 60 || Math.abs(a.y - b.y) >= 18).toBe(true);
    expect(Math.min(a.y, b.y) - 9).toBeGreaterThanOrEqual(80);
  });
});

test("rows that lie elsewhere do not stretch a cluster", () => {
  const places = new Float32Array(2 * 100);
  for (let row = 0; row < 80; row++) places.set([row / 80, -row / 80], 2 * row);
  for (let row = 80; row < 100; row++) places.set([50, 50], 2 * row);
  const { left, right, bottom, top } = extents(new Uint8Array(100), places).get(0)!;
  expect(left).toBeGreaterThanOrEqual(0);
  expect(right).toBeLessThan(1);
  expect(bottom).toBeGreaterThan(-1);
  expect(top).toBeLessThanOrEqual(0);
});

test("of a cluster in several heaps the largest counts, not the empty place between them", () => {
  const places = new Float32Array(200);
  const heaps = [
    [-0.9, -0.9, 36],
    [0.9, -0.9, 32],
    [0, 0.9, 32],
  ];
  heaps
    .flatMap(([x, y, n]) => Array.from({ length: n }, (_, k) => [x + 0.002 * k, y]))
    .forEach((place, row) => places.set(place, 2 * row));
  const { x, y, left, right, top } = extents(new Uint8Array(100), places).get(0)!;
  expect(x).toBeCloseTo(-0.86, 1);
  expect(y).toBeCloseTo(-0.9);
  expect(left).toBeGreaterThan(-1);
  expect(right).toBeLessThan(-0.8);
  expect(top).toBeCloseTo(-0.9);
});

describe("a name on the map", () => {
  const width = (text: string) => 10 * [...text].length;

  test("is whole where there is room for it", () => {
    expect(cutTo("a".repeat(24), 400, width)).toBe("a".repeat(24));
  });

  test("is cut where it is longer than a name is worth", () => {
    expect(cutTo("b".repeat(200), 400, width)).toBe(`${"b".repeat(23)}…`);
  });

  test("is cut where the map is narrow, and not inside a letter", () => {
    expect(cutTo("lilies of the valley", 148, width)).toBe("lilies of the…");
    expect(cutTo("🌷".repeat(9), 58, width)).toBe("🌷🌷🌷🌷…");
  });
});
