/** Where on the map we look: places and pixels are two names of the same point. */

import { describe, expect, test } from "vitest";
import { Camera, pointRadius } from "../../src/map/camera";

const BOX = { width: 800, height: 600 };

function looking(x: number, y: number, zoom: number): Camera {
  return Object.assign(new Camera(), { x, y, zoom });
}

describe("Camera", () => {
  test("shows the whole layout inside the box at first", () => {
    const camera = new Camera();
    for (const [x, y] of [
      [-1, -1],
      [1, 1],
    ]) {
      const [px, py] = camera.toScreen(x, y, BOX);
      expect(px).toBeGreaterThan(0);
      expect(px).toBeLessThan(BOX.width);
      expect(py).toBeGreaterThan(96); // below the tools
      expect(py).toBeLessThan(BOX.height);
    }
  });

  test("puts the place it looks at into the middle of what the tools leave free, and up is up", () => {
    const camera = looking(0.3, -0.2, 5);
    expect(camera.toScreen(0.3, -0.2, BOX)).toEqual([400, 348]);
    expect(camera.toScreen(0.3, 0, BOX)[1]).toBeLessThan(348);
    expect(camera.toScreen(0.4, -0.2, BOX)[0]).toBeGreaterThan(400);
  });

  test("finds the place of a pixel and the pixel of a place", () => {
    const camera = looking(0.3, -0.2, 5);
    const [x, y] = camera.toLayout(123, 45, BOX);
    const [px, py] = camera.toScreen(x, y, BOX);
    expect(px).toBeCloseTo(123, 9);
    expect(py).toBeCloseTo(45, 9);
  });

  test("moves the picture with the hand that drags it", () => {
    const camera = looking(0, 0, 2);
    const [px, py] = camera.toScreen(0.1, 0.1, BOX);
    camera.pan(30, -20, BOX);
    const [qx, qy] = camera.toScreen(0.1, 0.1, BOX);
    expect(qx - px).toBeCloseTo(30, 9);
    expect(qy - py).toBeCloseTo(-20, 9);
  });

  test("does not lose the layout out of sight", () => {
    const camera = new Camera();
    camera.pan(-1e6, -1e6, BOX);
    expect([camera.x, camera.y]).toEqual([1.5, -1.5]);
  });

  test("keeps what is under the cursor there when it zooms", () => {
    const camera = looking(0.3, -0.2, 5);
    const place = camera.toLayout(123, 45, BOX);
    camera.zoomAt(1.7, 123, 45, BOX);
    expect(camera.zoom).toBeCloseTo(8.5, 9);
    const after = camera.toLayout(123, 45, BOX);
    expect(after[0]).toBeCloseTo(place[0], 9);
    expect(after[1]).toBeCloseTo(place[1], 9);
  });

  test("zooms neither out of the world nor into nothing", () => {
    const camera = new Camera();
    camera.zoomAt(1e9, 400, 300, BOX);
    expect(camera.zoom).toBe(400);
    camera.zoomAt(1e-9, 400, 300, BOX);
    expect(camera.zoom).toBe(0.5);
  });

  test("goes back to the whole", () => {
    const camera = looking(0.3, -0.2, 5);
    camera.reset();
    expect([camera.x, camera.y, camera.zoom]).toEqual([0, 0, 1]);
  });
});

describe("pointRadius", () => {
  test("is small where points are many and larger where we look closely, within limits", () => {
    expect(pointRadius(1_000_000, 1)).toBe(0.5);
    expect(pointRadius(1, 1)).toBe(5);
    expect(pointRadius(10_000, 1)).toBeLessThan(pointRadius(1_000, 1));
    expect(pointRadius(10_000, 4)).toBeGreaterThan(pointRadius(10_000, 1));
    expect(pointRadius(10_000, 0.5)).toBe(pointRadius(10_000, 1));
    expect(pointRadius(100, 400)).toBe(9);
  });
});
