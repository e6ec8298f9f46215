/** Where on the map we look: layouts live in [-1, 1] x [-1, 1], the screen in pixels. */

export interface Box {
  width: number;
  height: number;
}

const FRAME = 96; // pixels above that are kept free for the tools

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;

  /** Pixels per unit of the layout. */
  scale(box: Box): number {
    return this.zoom * 0.48 * Math.max(80, Math.min(box.width, box.height - FRAME));
  }

  /** The line on the screen in which the place we look at is: the middle of what the tools leave free. */
  middle(box: Box): number {
    return (box.height + FRAME) / 2;
  }

  toScreen(x: number, y: number, box: Box): [number, number] {
    const scale = this.scale(box);
    return [(x - this.x) * scale + box.width / 2, this.middle(box) - (y - this.y) * scale];
  }

  toLayout(px: number, py: number, box: Box): [number, number] {
    const scale = this.scale(box);
    return [(px - box.width / 2) / scale + this.x, (this.middle(box) - py) / scale + this.y];
  }

  pan(dx: number, dy: number, box: Box) {
    const scale = this.scale(box);
    this.x = clamp(this.x - dx / scale, -1.5, 1.5);
    this.y = clamp(this.y + dy / scale, -1.5, 1.5);
  }

  /** Zoom so that the point under the cursor stays under the cursor. */
  zoomAt(factor: number, px: number, py: number, box: Box) {
    const [x, y] = this.toLayout(px, py, box);
    this.zoom = clamp(this.zoom * factor, 0.5, 400);
    const scale = this.scale(box);
    this.x = x - (px - box.width / 2) / scale;
    this.y = y + (py - this.middle(box)) / scale;
  }

  reset() {
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
  }
}

function clamp(value: number, low: number, high: number) {
  return Math.min(high, Math.max(low, value));
}

/** Radius of a point in CSS pixels: small when they are many, larger when we look closely. */
export function pointRadius(n: number, zoom: number): number {
  const base = clamp(150 / Math.sqrt(Math.max(n, 1)), 0.5, 5);
  return Math.min(9, base * Math.max(1, zoom) ** 0.4);
}
