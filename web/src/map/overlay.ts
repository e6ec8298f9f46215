/** What lies above the points: names, the pair just answered, rows that moved, the loop being drawn. */

import type { Labels } from "../api/types";
import type { Box, Camera } from "./camera";
import { Crowd, type Extent, type Rectangle, type Wish, cutTo, placed } from "./names";
import { type Rgb, background, clusterColour } from "./palette";

export interface Name extends Extent {
  text: string;
  cluster: number;
}

export interface Marks {
  names: Name[];
  covered: Rectangle[]; // what else lies above the map
  lines: boolean; // whether a name shows the colour of its cluster: not where the points have other colours
  pair: [number, number] | null;
  pairAge: number; // 0: it is marked, 1: it is no longer
  hover: number | null;
  chosen: Uint32Array;
  loop: [number, number][];
  moved: Uint32Array;
  movedAge: number; // 0: just now, 1: forgotten
}

const MOST_RINGS = 1500;
const TOOLS: Rectangle = [0, 0, 10_000, 92]; // what lies above the map
const UNDER = 8.5; // pixels from the middle of a name down to the line in its colour
const FONT = '600 12.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export class Overlay {
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
  }

  resize(box: Box, ratio: number) {
    this.canvas.width = Math.max(1, Math.round(box.width * ratio));
    this.canvas.height = Math.max(1, Math.round(box.height * ratio));
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(marks: Marks, places: Float32Array, labels: Labels, camera: Camera, box: Box, look: Look) {
    const { context } = this;
    context.clearRect(0, 0, box.width, box.height);
    if (places.length === 0) return;
    const at = (row: number) => camera.toScreen(places[2 * row], places[2 * row + 1], box);
    this.moved(marks, labels, at, look);
    this.chosen(marks.chosen, at, look);
    this.loop(marks.loop, look);
    this.names(marks, at, places, camera, box, look);
    if (marks.pair && marks.pairAge < 1) this.pair(marks.pair, marks.pairAge, at, look);
    if (marks.hover !== null) this.ring(at(marks.hover), look.radius + 3.5, look.ink, 1.5);
  }

  private ring([x, y]: [number, number], radius: number, colour: string, width: number) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  private moved(marks: Marks, labels: Labels, at: (row: number) => [number, number], look: Look) {
    if (marks.movedAge >= 1) return;
    const stride = Math.max(1, Math.ceil(marks.moved.length / MOST_RINGS));
    this.context.globalAlpha = (1 - marks.movedAge) * 0.9;
    for (let k = 0; k < marks.moved.length; k += stride) {
      const row = marks.moved[k];
      const reach = look.radius + 2 + 7 * marks.movedAge;
      this.ring(at(row), reach, clusterColour(labels[row], look.dark), 1.8);
    }
    this.context.globalAlpha = 1;
  }

  private chosen(rows: Uint32Array, at: (row: number) => [number, number], look: Look) {
    const stride = Math.max(1, Math.ceil(rows.length / (2 * MOST_RINGS)));
    this.context.globalAlpha = 0.6;
    for (let k = 0; k < rows.length; k += stride) this.ring(at(rows[k]), look.radius + 1, look.ink, 1);
    this.context.globalAlpha = 1;
  }

  private loop(loop: [number, number][], look: Look) {
    if (loop.length < 2) return;
    const { context } = this;
    context.beginPath();
    for (const [x, y] of loop) context.lineTo(x, y);
    context.closePath();
    context.globalAlpha = 0.1;
    context.fillStyle = look.ink;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = look.ink;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.stroke();
    context.setLineDash([]);
  }

  private pair([i, j]: [number, number], age: number, at: (row: number) => [number, number], look: Look) {
    const { context } = this;
    const [a, b] = [at(i), at(j)];
    context.globalAlpha = 1 - age;
    context.beginPath();
    context.moveTo(...a);
    context.lineTo(...b);
    context.setLineDash([3, 4]);
    context.strokeStyle = look.ink;
    context.lineWidth = 1.25;
    context.stroke();
    context.setLineDash([]);
    for (const end of [a, b]) {
      this.ring(end, look.radius + 4, look.paper, 4.5);
      this.ring(end, look.radius + 4, look.ink, 2);
    }
    context.globalAlpha = 1;
  }

  private names(
    { names, lines, covered }: Marks,
    at: (row: number) => [number, number],
    places: Float32Array,
    camera: Camera,
    box: Box,
    look: Look,
  ) {
    const { context } = this;
    context.font = FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const width = (text: string) => context.measureText(text).width;
    const known = new Map(
      names.map(({ text, cluster }) => [text, { cluster, shown: cutTo(text, box.width - 8, width) }]),
    );
    const wishes = names.map((name): Wish => {
      const [x, y] = camera.toScreen(name.x, name.y, box);
      const [left, top] = camera.toScreen(name.left, name.top, box);
      const [right, bottom] = camera.toScreen(name.right, name.bottom, box);
      const half = width(known.get(name.text)!.shown) / 2 + 4;
      const out = look.radius + 1;
      return {
        text: name.text,
        half,
        x,
        y,
        left: left - out,
        right: right + out,
        top: top - out,
        bottom: bottom + out,
      };
    });
    for (const { text, x, y } of placed(wishes, Crowd.of(places, at, box), box, [TOOLS, ...covered])) {
      const { cluster, shown } = known.get(text)!;
      context.strokeStyle = look.paper;
      if (lines) this.underline(x, y + UNDER, width(shown), cluster, look);
      context.lineWidth = 4;
      context.strokeText(shown, x, y);
      context.fillStyle = look.ink;
      context.fillText(shown, x, y);
    }
  }

  private underline(x: number, y: number, width: number, cluster: number, look: Look) {
    const { context } = this;
    context.beginPath();
    context.moveTo(x - width / 2, y);
    context.lineTo(x + width / 2, y);
    context.lineWidth = 5;
    context.stroke(); // paper, as around the letters
    context.strokeStyle = clusterColour(cluster, look.dark);
    context.lineWidth = 2.5;
    context.stroke();
    context.strokeStyle = look.paper;
  }
}

export interface Look {
  dark: boolean;
  radius: number;
  ink: string;
  paper: string;
}

export function lookOf(dark: boolean, radius: number): Look {
  const css = ([r, g, b]: Rgb) => `rgb(${r} ${g} ${b})`;
  return { dark, radius, ink: dark ? "#f3f2ee" : "#17191d", paper: css(background(dark)) };
}
