/** The colours of clusters: told apart, the same for ever, and pulled back where another is in the light. */

import { describe, expect, test } from "vitest";
import { background, clusterColour, clusterRgb, colourTable, mix, rgb } from "../../src/map/palette";

const THEMES = [false, true];

describe("palette", () => {
  test("reads and mixes colours", () => {
    expect(rgb("#084fba")).toEqual([8, 79, 186]);
    expect(mix([0, 100, 200], [100, 0, 200], 0.25)).toEqual([25, 75, 200]);
  });

  test.each(THEMES)("gives a hundred clusters a hundred colours (dark: %s)", (dark) => {
    const colours = Array.from({ length: 100 }, (_, cluster) => clusterColour(cluster, dark));
    expect(new Set(colours).size).toBe(100);
    expect(colours.every((colour) => /^rgb\(\d{1,3} \d{1,3} \d{1,3}\)$/.test(colour))).toBe(true);
  });

  test("brings hues back lighter, then darker", () => {
    const sum = (cluster: number) => clusterRgb(cluster, false).reduce((a, b) => a + b);
    expect(sum(20)).toBeGreaterThan(sum(0));
    expect(sum(40)).toBeLessThan(sum(0));
    expect(clusterRgb(100, false)).toEqual(clusterRgb(0, false));
  });
});

describe("colourTable", () => {
  test("holds every cluster's full colour where none is chosen", () => {
    const table = colourTable(30, true, new Set());
    for (let cluster = 0; cluster < 30; cluster++)
      expect([...table.slice(4 * cluster, 4 * cluster + 4)]).toEqual([...clusterRgb(cluster, true), 255]);
  });

  test("pulls the others towards the paper where some are", () => {
    const table = colourTable(3, false, new Set([1]));
    expect([...table.slice(4, 8)]).toEqual([...clusterRgb(1, false), 255]);
    const paper = background(false);
    const apart = (from: number) => Math.hypot(...paper.map((value, c) => value - table[from + c]));
    expect(apart(0)).toBeLessThan(0.2 * apart(4));
    expect(table[3]).toBe(255);
  });
});
