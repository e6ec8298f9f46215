/** Two ways to draw the same points; which one is used is decided by what the machine can do. */

import type { Labels } from "../api/types";
import type { Camera } from "./camera";
import { RasterRenderer } from "./raster";
import { WebglRenderer } from "./webgl";

export interface Renderer {
  readonly kind: "webgl" | "raster";
  readonly canvas: HTMLCanvasElement;
  resize(width: number, height: number, ratio: number): void;
  /** x, y of each row in the layout we come from and in the one we go to. */
  setPositions(from: Float32Array, to: Float32Array): void;
  setLabels(labels: Labels): void;
  setColours(table: Uint8Array, background: readonly number[]): void;
  /** `share` 0: at the first layout, 1: at the second. `moving`: a quick, possibly thinned picture will do, a full one follows when things rest. */
  draw(camera: Camera, share: number, moving: boolean): void;
  dispose(): void;
}

const SLOW = 0.015; // seconds a picture may take; beyond that WebGL runs on the processor, as the raster does

export function wishedRenderer(): "webgl" | "raster" | null {
  const wish = new URLSearchParams(location.search).get("renderer");
  return wish === "webgl" || wish === "raster" ? wish : null;
}

/** WebGL2 where the browser has it, else the canvas raster. */
export function createRenderer(host: HTMLElement): Renderer {
  const wish = wishedRenderer();
  const webgl = wish === "raster" ? null : WebglRenderer.create(wish === null);
  if (webgl === null) return createRaster(host);
  host.prepend(webgl.canvas);
  return webgl;
}

export function createRaster(host: HTMLElement): Renderer {
  const raster = new RasterRenderer();
  host.prepend(raster.canvas);
  return raster;
}

/** False for a WebGL that turns out to be slow, because there is no GPU below it. */
export function isUpToIt(renderer: Renderer, camera: Camera): boolean {
  if (!(renderer instanceof WebglRenderer) || wishedRenderer() !== null) return true;
  return renderer.cost(camera) <= SLOW;
}
