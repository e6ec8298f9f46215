/** Which row lies under the cursor, and which rows lie inside a drawn loop. */

import type { Box, Camera } from "./camera";

const CELLS = 512; // the layout's square is cut into CELLS x CELLS cells

/** Rows sorted by the cell they lie in, so that a look around the cursor touches few of them. */
export class Finder {
  private readonly starts = new Uint32Array(CELLS * CELLS + 1);
  private readonly rows: Uint32Array;

  constructor(private readonly places: Float32Array) {
    const n = places.length / 2;
    const cells = new Uint32Array(n);
    for (let row = 0; row < n; row++) {
      cells[row] = cellOf(places[2 * row + 1]) * CELLS + cellOf(places[2 * row]);
      this.starts[cells[row] + 1]++;
    }
    for (let cell = 0; cell < CELLS * CELLS; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    this.rows = new Uint32Array(n);
    for (let row = 0; row < n; row++) this.rows[next[cells[row]]++] = row;
  }

  /** The row nearest to a screen position, at most `reach` pixels away, or null. */
  nearest(px: number, py: number, reach: number, camera: Camera, box: Box): number | null {
    const [x, y] = camera.toLayout(px, py, box);
    const away = reach / camera.scale(box);
    let best: number | null = null;
    let least = away * away;
    for (let v = cellOf(y - away); v <= cellOf(y + away); v++)
      for (let u = cellOf(x - away); u <= cellOf(x + away); u++)
        for (let k = this.starts[v * CELLS + u]; k < this.starts[v * CELLS + u + 1]; k++) {
          const row = this.rows[k];
          const distance = (this.places[2 * row] - x) ** 2 + (this.places[2 * row + 1] - y) ** 2;
          if (distance <= least) {
            least = distance;
            best = row;
          }
        }
    return best;
  }
}

function cellOf(value: number): number {
  return Math.min(CELLS - 1, Math.max(0, Math.floor(((value + 1) / 2) * CELLS)));
}

/** Rows inside a loop drawn on the screen: the loop is painted once, each row then looks at its pixel. */
export function inside(
  loop: [number, number][],
  places: Float32Array,
  camera: Camera,
  box: Box,
): Uint32Array {
  const width = Math.max(1, Math.ceil(box.width));
  const height = Math.max(1, Math.ceil(box.height));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.beginPath();
  for (const [x, y] of loop) context.lineTo(x, y);
  context.fill();
  const painted = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const scale = camera.scale(box);
  const left = box.width / 2 - camera.x * scale;
  const top = camera.middle(box) + camera.y * scale;
  const rows: number[] = [];
  for (let row = 0; 2 * row < places.length; row++) {
    const x = Math.floor(left + places[2 * row] * scale);
    const y = Math.floor(top - places[2 * row + 1] * scale);
    if (x >= 0 && x < width && y >= 0 && y < height && painted[y * width + x] !== 0) rows.push(row);
  }
  return Uint32Array.from(rows);
}
