/**
 * One colour per cluster number, for the life of the session.
 *
 * The first ten were chosen by hand and then moved apart: no two of them are closer than 0.14 in OKLab, nor
 * closer than 0.07 as simulated for protanopia and deuteranopia (about 0.02 is just noticeable). The next ten
 * lie as far from all others as there was room: 0.09 and 0.048. Beyond twenty the same hues come back lighter
 * or darker, and the names on the map tell them apart.
 */

// prettier-ignore
const LIGHT = [
  "#084fba", "#c8631b", "#2f996a", "#b80f79", "#9563dd", "#b0a03c", "#3bacda", "#d67ea9", "#1d6746", "#6a3a06",
  "#6f0f82", "#d94ab3", "#c50031", "#7e539c", "#594ddc", "#811044", "#4f15ad", "#597f9b", "#63b376", "#9e5a65",
];
// prettier-ignore
const DARK = [
  "#3773d7", "#e8884f", "#60ba8d", "#d94b99", "#b589fc", "#d1c36b", "#6ecefa", "#f7a3cb", "#488666", "#895a32",
  "#8e3ea0", "#fb76d4", "#e64956", "#9e75bb", "#7674f9", "#a23d63", "#6a47ca", "#7ca1bb", "#8bd59b", "#bf7d87",
];
const TURNS = [0, 0.34, -0.3, 0.56, -0.48]; // share of the way to white (or, negative, to black)

export type Rgb = [number, number, number];

export function rgb(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((value, c) => Math.round(value + (to[c] - value) * share)) as Rgb;
}

export function clusterRgb(cluster: number, dark: boolean): Rgb {
  const base = rgb((dark ? DARK : LIGHT)[cluster % LIGHT.length]);
  const turn = TURNS[Math.floor(cluster / LIGHT.length) % TURNS.length];
  return turn >= 0 ? mix(base, [255, 255, 255], turn) : mix(base, [0, 0, 0], -turn);
}

export function clusterColour(cluster: number, dark: boolean): string {
  return `rgb(${clusterRgb(cluster, dark).join(" ")})`;
}

export const background = (dark: boolean): Rgb => (dark ? [20, 22, 26] : [251, 250, 248]);

/** The colour of every cluster, those outside `spotlight` pulled towards the background. */
export function colourTable(n: number, dark: boolean, spotlight: ReadonlySet<number>): Uint8Array {
  const table = new Uint8Array(4 * n);
  const paper = background(dark);
  for (let cluster = 0; cluster < n; cluster++) {
    const full = clusterRgb(cluster, dark);
    const faded = spotlight.size > 0 && !spotlight.has(cluster);
    table.set(faded ? mix(full, paper, 0.86) : full, 4 * cluster);
    table[4 * cluster + 3] = 255;
  }
  return table;
}
