/** The map to hand on: as a drawing, as a picture, and as one page that needs nothing else. */

import type { Live } from "../state/live.svelte";
import { nameOf } from "../state/trace";
import { Crowd, type Wish, cutTo, extents, placed } from "./names";
import { background, clusterColour } from "./palette";

const SIZE = 1000;
const FRAME = 40;
const LETTER = 8.5; // pixels that one of a name takes, about

const width = (text: string) => LETTER * text.length;
const at = (value: number) => SIZE / 2 + value * (SIZE / 2 - FRAME);
const short = (value: number) => value.toFixed(1);

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function placesOf(live: Live): Float32Array {
  return live.layouts.get("neighbours") ?? live.layouts.get("pca")!;
}

/** Points and names of the clusters as SVG; `titles` are shown where the cursor rests. */
export function mapAsSvg(live: Live, dark: boolean, titles: readonly (string | number)[] = []): string {
  const places = placesOf(live);
  const labels = live.sample.of(live.labels);
  const ink = dark ? "#f3f2ee" : "#17191d";
  const paper = `rgb(${background(dark).join(" ")})`;
  const radius = Math.max(0.8, Math.min(5, 150 / Math.sqrt(labels.length)));
  const points = new Map<number, string[]>();
  labels.forEach((cluster, row) => {
    const place = `cx="${short(at(places[2 * row]))}" cy="${short(at(-places[2 * row + 1]))}"`;
    const words = titles.length > 0 ? `${titles[row]}, ${nameOf(live.clusters, cluster)}` : "";
    const title = words ? `><title>${escaped(words)}</title></circle>` : "/>";
    const circle = `<circle ${place} r="${short(radius)}"${title}`;
    points.set(cluster, [...(points.get(cluster) ?? []), circle]);
  });
  const groups = [...points].map(
    ([cluster, circles]) => `<g fill="${clusterColour(cluster, dark)}">${circles.join("")}</g>`,
  );
  const screen = (row: number): [number, number] => [at(places[2 * row]), at(-places[2 * row + 1])];
  const box = { width: SIZE, height: SIZE };
  const wishes = [...extents(labels, places)].map(([cluster, extent]): Wish => {
    const text = cutTo(nameOf(live.clusters, cluster), SIZE, width);
    return {
      text,
      half: width(text) / 2 + 4,
      x: at(extent.x),
      y: at(-extent.y),
      left: at(extent.left) - radius,
      right: at(extent.right) + radius,
      top: at(-extent.top) - radius,
      bottom: at(-extent.bottom) + radius,
    };
  });
  const names = placed(wishes, Crowd.of(places, screen, box), box, []).map(
    ({ text, x, y }) => `<text x="${short(x)}" y="${short(y)}">${escaped(text)}</text>`,
  );
  const style =
    `text{font:600 15px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central;fill:${ink};stroke:${paper};` +
    "stroke-width:4px;paint-order:stroke;stroke-linejoin:round}";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}">` +
    `<style>${style}</style><rect width="${SIZE}" height="${SIZE}" fill="${paper}"/>` +
    `${groups.join("")}${names.join("")}</svg>`
  );
}

export async function svgAsPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(2 * SIZE, 2 * SIZE);
  canvas.getContext("2d")!.drawImage(image, 0, 0, 2 * SIZE, 2 * SIZE);
  return canvas.convertToBlob({ type: "image/png" });
}

const ZOOMS = `
const svg = document.querySelector("svg");
let box = [0, 0, ${SIZE}, ${SIZE}], from = null;
const show = () => svg.setAttribute("viewBox", box.join(" "));
svg.addEventListener("wheel", (event) => {
  event.preventDefault();
  const r = svg.getBoundingClientRect(), f = Math.exp(event.deltaY * 0.0016);
  const u = (event.clientX - r.left) / r.width, v = (event.clientY - r.top) / r.height;
  box = [box[0] + u * box[2] * (1 - f), box[1] + v * box[3] * (1 - f), box[2] * f, box[3] * f];
  show();
}, { passive: false });
svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
window.addEventListener("pointerup", () => { from = null; });
window.addEventListener("pointermove", (event) => {
  if (!from) return;
  const r = svg.getBoundingClientRect();
  box[0] -= ((event.clientX - from[0]) * box[2]) / r.width;
  box[1] -= ((event.clientY - from[1]) * box[3]) / r.height;
  from = [event.clientX, event.clientY];
  show();
});`;

/** One page with the map: zoom by the wheel, drag, names, and what each point is. */
export function mapAsHtml(live: Live, dark: boolean, ids: readonly (string | number)[]): string {
  const title = escaped(live.info?.name ?? "Map");
  const svg = mapAsSvg(live, dark, ids).replace(/ width="\d+" height="\d+"/, "");
  const style =
    `html,body{height:100%;margin:0;background:rgb(${background(dark).join(" ")})}` +
    "svg{width:100%;height:100%;cursor:grab}";
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
    `<style>${style}</style></head><body>${svg}<script>${ZOOMS}</script></body></html>`
  );
}
