/** Points written pixel by pixel into an image, for machines without a GPU. */

import type { Labels } from "../api/types";
import { type Box, type Camera, pointRadius } from "./camera";
import type { Renderer } from "./renderer";

const BUDGET = 0.022; // seconds a frame may take while the map moves; points are thinned to meet it

/** One pixel of a point: where it lies beside the centre and how much of it (0..256) is covered. */
interface Stamp {
  dx: Int32Array;
  dy: Int32Array;
  cover: Int32Array;
  reach: number;
}

export class RasterRenderer implements Renderer {
  readonly kind = "raster";
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private image = new ImageData(1, 1);
  private pixels = new Uint32Array(this.image.data.buffer);
  private from: Float32Array = new Float32Array(0);
  private to: Float32Array = new Float32Array(0);
  private scratch = new Float32Array(0);
  private labels: Labels = new Uint8Array(0);
  private colours = new Uint32Array(1);
  private paper = 0xffffffff;
  private ratio = 1;
  private box: Box = { width: 1, height: 1 };
  private perPoint = 20e-9; // seconds, measured as we draw

  resize(width: number, height: number, ratio: number) {
    this.box = { width, height };
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.image = new ImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  setPositions(from: Float32Array, to: Float32Array) {
    this.from = from;
    this.to = to;
  }

  setLabels(labels: Labels) {
    this.labels = labels;
  }

  setColours(table: Uint8Array, background: readonly number[]) {
    this.colours = new Uint32Array(table.slice().buffer);
    this.paper = pack(background[0], background[1], background[2]);
  }

  draw(camera: Camera, share: number, moving: boolean) {
    const n = this.from.length / 2;
    const stride = moving ? Math.max(1, Math.ceil((this.perPoint * n) / BUDGET)) : 1;
    const start = performance.now();
    this.paint(camera, share, stride);
    const seconds = (performance.now() - start) / 1000;
    if (n > 10_000) this.perPoint = 0.7 * this.perPoint + (0.3 * seconds * stride) / n;
    this.context.putImageData(this.image, 0, 0);
  }

  dispose() {}

  private paint(camera: Camera, share: number, stride: number) {
    this.pixels.fill(this.paper);
    const radius = pointRadius(this.from.length / 2, camera.zoom) * this.ratio;
    const placed = share >= 1 ? this.to : share <= 0 ? this.from : this.between(share);
    if (radius < 0.75) this.dots(camera, placed, stride);
    else this.discs(camera, placed, stride, stampOf(radius));
  }

  private dots(camera: Camera, placed: Float32Array, stride: number) {
    const { pixels, labels, colours } = this;
    const { scale, left, top, width, height } = this.frame(camera);
    const step = 2 * stride;
    for (let at = 0, row = 0; at < placed.length; at += step, row += stride) {
      const x = left + placed[at] * scale;
      const y = top - placed[at + 1] * scale;
      if (x >= 0 && x < width && y >= 0 && y < height)
        pixels[(y | 0) * width + (x | 0)] = colours[labels[row]];
    }
  }

  private discs(camera: Camera, placed: Float32Array, stride: number, stamp: Stamp) {
    const { pixels, labels, colours } = this;
    const { scale, left, top, width, height } = this.frame(camera);
    const { dx, dy, cover, reach } = stamp;
    const step = 2 * stride;
    for (let at = 0, row = 0; at < placed.length; at += step, row += stride) {
      const x = (left + placed[at] * scale) | 0;
      const y = (top - placed[at + 1] * scale) | 0;
      if (x < reach || x >= width - reach || y < reach || y >= height - reach) continue;
      const colour = colours[labels[row]];
      for (let k = 0; k < cover.length; k++) {
        const pixel = (y + dy[k]) * width + x + dx[k];
        pixels[pixel] = cover[k] > 255 ? colour : blend(pixels[pixel], colour, cover[k]);
      }
    }
  }

  /** Where the points are on their way from one layout to the other. */
  private between(share: number): Float32Array {
    const { from, to } = this;
    if (this.scratch.length !== from.length) this.scratch = new Float32Array(from.length);
    const placed = this.scratch;
    for (let at = 0; at < placed.length; at++) placed[at] = from[at] + (to[at] - from[at]) * share;
    return placed;
  }

  private frame(camera: Camera) {
    const scale = camera.scale(this.box) * this.ratio;
    const { width, height } = this.canvas;
    return {
      scale,
      width,
      height,
      left: width / 2 - camera.x * scale,
      top: camera.middle(this.box) * this.ratio + camera.y * scale,
    };
  }
}

function stampOf(radius: number): Stamp {
  const reach = Math.ceil(radius);
  const dx: number[] = [];
  const dy: number[] = [];
  const cover: number[] = [];
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++) {
      const share = Math.min(1, radius + 0.5 - Math.hypot(x, y));
      if (share <= 0.02) continue;
      dx.push(x);
      dy.push(y);
      cover.push(Math.round(256 * share));
    }
  return { dx: Int32Array.from(dx), dy: Int32Array.from(dy), cover: Int32Array.from(cover), reach };
}

function pack(red: number, green: number, blue: number): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** `cover` of 256 parts of `over` upon `under`: red and blue in one multiplication, green in another. */
function blend(under: number, over: number, cover: number): number {
  const rest = 256 - cover;
  const redBlue = (((under & 0xff00ff) * rest + (over & 0xff00ff) * cover) >>> 8) & 0xff00ff;
  const green = (((under & 0x00ff00) * rest + (over & 0x00ff00) * cover) >>> 8) & 0x00ff00;
  return (0xff000000 | redBlue | green) >>> 0;
}
