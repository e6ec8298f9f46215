/** The row under the cursor and the rows inside a loop, against the obvious way to find them. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Camera } from "../../src/map/camera";
import { Finder, inside } from "../../src/map/pick";

const BOX = { width: 800, height: 600 };

/** Places all over the layout, the same at every run. */
function scattered(n: number): Float32Array {
  let seed = 1;
  return Float32Array.from({ length: 2 * n }, () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return (2 * seed) / 2_147_483_647 - 1;
  });
}

function looking(x: number, y: number, zoom: number): Camera {
  return Object.assign(new Camera(), { x, y, zoom });
}

function nearestOfAll(places: Float32Array, px: number, py: number, reach: number, camera: Camera) {
  let best: number | null = null;
  let least = reach;
  for (let row = 0; 2 * row < places.length; row++) {
    const [x, y] = camera.toScreen(places[2 * row], places[2 * row + 1], BOX);
    const distance = Math.hypot(x - px, y - py);
    if (distance <= least) [best, least] = [row, distance];
  }
  return best;
}

describe("Finder", () => {
  test.each([
    ["all of the map", looking(0, 0, 1)],
    ["a corner, closely", looking(-0.8, 0.8, 4)],
    ["from far away", looking(0.2, 0.1, 0.5)],
  ])("finds what looking at every row finds: %s", (_, camera) => {
    const places = scattered(2000);
    const finder = new Finder(places);
    const found = [];
    const expected = [];
    for (let px = -20; px <= 820; px += 37)
      for (let py = -20; py <= 620; py += 41) {
        found.push(finder.nearest(px, py, 15, camera, BOX));
        expected.push(nearestOfAll(places, px, py, 15, camera));
      }
    expect(found).toEqual(expected);
    expect(new Set(found).size).toBeGreaterThan(5); // null, and several rows
  });

  test("finds rows at the very edge of the layout", () => {
    const camera = new Camera();
    const finder = new Finder(Float32Array.from([1, 1, -1, -1]));
    const [px, py] = camera.toScreen(1, 1, BOX);
    expect(finder.nearest(px + 2, py - 2, 5, camera, BOX)).toBe(0);
  });

  test("finds nothing where there is nothing", () => {
    expect(new Finder(new Float32Array(0)).nearest(400, 300, 50, new Camera(), BOX)).toBeNull();
    const middle = new Finder(Float32Array.from([0, 0]));
    expect(middle.nearest(400, 398, 49, new Camera(), BOX)).toBeNull();
    expect(middle.nearest(400, 398, 51, new Camera(), BOX)).toBe(0);
  });
});

/** As much of a canvas as a loop needs: the box around it is filled. */
class BoxCanvas {
  readonly #corners: [number, number][] = [];
  #painted: Uint32Array<ArrayBuffer>;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#painted = new Uint32Array(width * height);
  }

  getContext() {
    return {
      beginPath: () => {},
      lineTo: (x: number, y: number) => this.#corners.push([x, y]),
      fill: () => this.#fill(),
      getImageData: () => ({ data: new Uint8ClampedArray(this.#painted.buffer) }),
    };
  }

  #fill() {
    const [xs, ys] = [0, 1].map((axis) => this.#corners.map((corner) => corner[axis]));
    for (let y = Math.min(...ys); y < Math.max(...ys); y++)
      for (let x = Math.min(...xs); x < Math.max(...xs); x++) this.#painted[y * this.width + x] = 0xff000000;
  }
}

describe("inside", () => {
  beforeEach(() => void vi.stubGlobal("OffscreenCanvas", BoxCanvas));
  afterEach(() => void vi.unstubAllGlobals());

  const LOOP: [number, number][] = [
    [100, 50],
    [500, 50],
    [500, 400],
    [100, 400],
  ];

  test.each([
    ["all of the map", looking(0, 0, 1)],
    ["a part of it", looking(0.4, -0.3, 3)],
  ])("takes the rows whose pixel lies in the loop: %s", (_, camera) => {
    const places = scattered(500);
    const expected = [];
    for (let row = 0; row < 500; row++) {
      const [x, y] = camera.toScreen(places[2 * row], places[2 * row + 1], BOX);
      if (x >= 100 && x < 500 && y >= 50 && y < 400) expected.push(row);
    }
    expect(expected.length).toBeGreaterThan(20);
    expect(expected.length).toBeLessThan(480);
    expect(Array.from(inside(LOOP, places, camera, BOX))).toEqual(expected);
  });

  test("takes nothing that lies outside of the screen", () => {
    const everything: [number, number][] = [
      [0, 0],
      [800, 600],
    ];
    const camera = looking(0, 0, 100);
    expect(Array.from(inside(everything, Float32Array.from([0, 0, 0.9, 0, 0, -0.9]), camera, BOX))).toEqual([
      0,
    ]);
  });
});
