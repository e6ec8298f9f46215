/** Where the names of the clusters stand: beside their rows, inside the map, on as few points as there is room for. */

import type { Labels } from "../api/types";
import type { Box } from "./camera";

/** Where most rows of a cluster lie, in the layout. */
export interface Extent {
  x: number; // the middle
  y: number;
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** A name, with the rows it belongs to and how much room it needs, in pixels. */
export interface Wish {
  text: string;
  half: number; // of its width
  left: number;
  right: number;
  bottom: number;
  top: number;
  x: number;
  y: number;
}

export interface Placed {
  text: string;
  x: number;
  y: number;
}

export type Rectangle = [left: number, top: number, right: number, bottom: number];

const SAMPLE = 20_000;
const REACH = 0.15; // in the layout; rows no farther from each other than this or so are one heap
const CORE = 0.75; // of the rows of a heap, those nearest to its middle, are what the name stands beside
const EDGE = 4; // pixels between a name and the end of the map
const WIDEST = 240; // pixels
const TALL = 9; // half of the height of a name
const CELL = 6; // pixels; points are counted in squares of this size
const ALONG = [0, 0.5, -0.5]; // how far along a side names are tried, in shares of it ...
const AWAY = [0, 10]; // ... and how far from it, in pixels: a few rows lie outside

/** Where each cluster lies: of several heaps the largest counts, and of that most rows. */
export function extents(labels: Labels, places: Float32Array): Map<number, Extent> {
  const rows = new Map<number, number[]>();
  const stride = Math.max(1, Math.floor(labels.length / SAMPLE));
  for (let row = 0; row < labels.length; row += stride) {
    if (!rows.has(labels[row])) rows.set(labels[row], []);
    rows.get(labels[row])!.push(row);
  }
  return new Map([...rows].map(([cluster, its]) => [cluster, extentOf(largestHeap(its, places), places)]));
}

/** The largest set of rows that lie together: squares of the layout that touch are one heap. */
function largestHeap(rows: number[], places: Float32Array): number[] {
  const squares = new Map<string, number[]>();
  const [column, line] = [0, 1].map((axis) => (row: number) => Math.floor(places[2 * row + axis] / REACH));
  for (const row of rows) {
    const square = `${column(row)} ${line(row)}`;
    if (!squares.has(square)) squares.set(square, []);
    squares.get(square)!.push(row);
  }
  let largest: number[] = [];
  while (squares.size > 0) {
    const heap: number[] = [];
    const waiting = [squares.keys().next().value!];
    for (let square = waiting.pop(); square !== undefined; square = waiting.pop()) {
      const its = squares.get(square);
      if (!its) continue;
      squares.delete(square);
      heap.push(...its);
      const [x, y] = square.split(" ").map(Number);
      for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) waiting.push(`${x + dx} ${y + dy}`);
    }
    if (heap.length > largest.length) largest = heap;
  }
  return largest;
}

function extentOf(rows: number[], places: Float32Array): Extent {
  const x = middle(rows.map((row) => places[2 * row]));
  const y = middle(rows.map((row) => places[2 * row + 1]));
  const far = (row: number) => Math.hypot(places[2 * row] - x, places[2 * row + 1] - y);
  const core = [...rows].sort((a, b) => far(a) - far(b)).slice(0, Math.ceil(CORE * rows.length));
  const xs = core.map((row) => places[2 * row]).sort((a, b) => a - b);
  const ys = core.map((row) => places[2 * row + 1]).sort((a, b) => a - b);
  return { x, y, left: xs[0], right: xs[xs.length - 1], bottom: ys[0], top: ys[ys.length - 1] };
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** A name as it stands on the map: cut where it takes more room than there is, or than a name is worth. */
export function cutTo(text: string, room: number, width: (text: string) => number): string {
  const most = Math.min(WIDEST, room - 2 * EDGE);
  const wide = width(text);
  if (wide <= most) return text;
  const letters = [...text];
  let n = Math.min(letters.length - 1, Math.ceil((letters.length * most) / wide) + 8);
  const cut = () => `${letters.slice(0, n).join("").trimEnd()}…`;
  while (n > 1 && width(cut()) > most) n--;
  return cut();
}

/** How many points lie where on the screen. */
export class Crowd {
  private readonly wide: number;
  private readonly high: number;
  private readonly counts: Uint16Array;

  constructor(box: Box) {
    this.wide = Math.ceil(box.width / CELL);
    this.high = Math.ceil(box.height / CELL);
    this.counts = new Uint16Array(Math.max(1, this.wide * this.high));
  }

  /** Count every point of a layout, or some of very many; `at` says where it is on the screen. */
  static of(places: Float32Array, at: (row: number) => [number, number], box: Box): Crowd {
    const crowd = new Crowd(box);
    const stride = Math.max(1, Math.floor(places.length / 2 / SAMPLE));
    for (let row = 0; row < places.length / 2; row += stride) crowd.add(...at(row));
    return crowd;
  }

  add(x: number, y: number) {
    const [column, line] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    if (column < 0 || line < 0 || column >= this.wide || line >= this.high) return;
    this.counts[line * this.wide + column] += 1;
  }

  /** Points in the squares that a rectangle touches. */
  under([left, top, right, bottom]: Rectangle): number {
    const columns = [Math.max(0, Math.floor(left / CELL)), Math.min(this.wide - 1, Math.floor(right / CELL))];
    const lines = [Math.max(0, Math.floor(top / CELL)), Math.min(this.high - 1, Math.floor(bottom / CELL))];
    let sum = 0;
    for (let line = lines[0]; line <= lines[1]; line++)
      for (let column = columns[0]; column <= columns[1]; column++)
        sum += this.counts[line * this.wide + column];
    return sum;
  }
}

/**
 * Give each name, the first ones first, the place around its rows that covers fewest points. A name is left out
 * where its rows are off the map, or where no place is free of other names and of what lies above the map.
 */
export function placed(
  wishes: readonly Wish[],
  crowd: Crowd,
  box: Box,
  taken: readonly Rectangle[],
): Placed[] {
  const full = [...taken];
  return wishes.flatMap((wish) => {
    if (wish.x < 0 || wish.x > box.width || wish.y < 0 || wish.y > box.height) return [];
    const free = candidates(wish, box).filter((place) => !full.some((other) => overlaps(place, other)));
    if (free.length === 0) return [];
    const covered = free.map((place) => crowd.under(place));
    const best = free[covered.indexOf(Math.min(...covered))];
    full.push(best);
    return [{ text: wish.text, x: (best[0] + best[2]) / 2, y: (best[1] + best[3]) / 2 }];
  });
}

/** Above its rows, below, to the right and to the left of them: the first of equally good ones is taken. */
function candidates({ half, left, right, bottom, top, x, y }: Wish, box: Box): Rectangle[] {
  const along = (share: number, at: number, low: number, high: number) =>
    share < 0 ? at + share * (at - low) : at + share * (high - at);
  const tries = ALONG.flatMap((share) =>
    AWAY.map((away) => ({ away, across: along(share, x, left, right), down: along(share, y, top, bottom) })),
  );
  const middles: [number, number][] = [
    ...tries.map(({ away, across }): [number, number] => [across, top - TALL - away]),
    ...tries.map(({ away, across }): [number, number] => [across, bottom + TALL + away]),
    ...tries.map(({ away, down }): [number, number] => [right + half + away, down]),
    ...tries.map(({ away, down }): [number, number] => [left - half - away, down]),
  ];
  return middles.map(([at, line]) => {
    const px = within(at, half + EDGE, box.width - half - EDGE);
    const py = within(line, TALL + EDGE, box.height - TALL - EDGE);
    return [px - half, py - TALL, px + half, py + TALL];
  });
}

const within = (value: number, low: number, high: number) => Math.max(low, Math.min(value, high));

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
