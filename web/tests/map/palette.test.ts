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

/** What is seen without the cones for long or for middle waves (Machado, Oliveira, Fernandes 2009), in linear light. */
const BLIND = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

const linear = (value: number) => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);

/** Lightness and two opponent colours (CIELAB, D65): what is 10 apart, nobody takes for the same. */
function lab([r, g, b]: number[]): number[] {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

describe("for people who see fewer colours", () => {
  test.each(
    THEMES.flatMap((dark) => Object.entries(BLIND).map(([kind, seen]) => [kind, dark, seen] as const)),
  )("the first ten are told apart (%s, dark: %s)", (_, dark, seen) => {
    const colours = Array.from({ length: 10 }, (__, cluster) => {
      const light = clusterRgb(cluster, dark).map(linear);
      return lab(seen.map((row) => Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])));
    });
    const apart = colours.flatMap((one, a) =>
      colours.slice(a + 1).map((other) => Math.hypot(...one.map((value, k) => value - other[k]))),
    );
    expect(Math.min(...apart)).toBeGreaterThan(10);
  });
});
