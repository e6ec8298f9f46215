/** The map as a thing one can point at: points below, marks above, a camera, and the frames between. */

import type { Cluster, Labels } from "../api/types";
import type { Paint } from "../state/paint.svelte";
import { type Box, Camera, pointRadius } from "./camera";
import { type Rectangle, extents } from "./names";
import { type Marks, Overlay, lookOf } from "./overlay";
import { background, colourTable } from "./palette";
import { Finder, inside } from "./pick";
import type { Sample } from "./sample";
import { type Renderer, createRaster, createRenderer, isUpToIt } from "./renderer";

const REST = 140; // milliseconds without movement until the full picture is drawn
const FADE = 900; // of one layout into the next
const TRACE = 1600; // of the rings around rows that moved
const LEAVING = 700; // of the line between a pair, once the next question is there
const STEP = 45; // milliseconds between two of its pictures: the processor has better things to do meanwhile
const MOST_NAMES = 60;

export class Stage {
  readonly camera = new Camera();
  readonly box: Box = { width: 1, height: 1 };
  private renderer: Renderer;
  private readonly overlay: Overlay;
  private from: Float32Array = new Float32Array(0);
  private places: Float32Array = new Float32Array(0);
  private labels: Labels = new Uint8Array(0);
  private finder: Finder | null = null;
  private finderTimer = 0;
  private readonly marks: Marks = {
    names: [],
    covered: [],
    lines: true,
    pair: null,
    pairAge: 0,
    hover: null,
    chosen: new Uint32Array(0),
    loop: [],
    moved: new Uint32Array(0),
    movedAge: 1,
  };
  private paint: Paint | null = null;
  private dark = false;
  private table: [Uint8Array, readonly number[]] = [new Uint8Array(4), [255, 255, 255]];
  private fadeStart = -Infinity;
  private traceStart = -Infinity;
  private pairEnd = Infinity;
  private lastMove = -Infinity;
  private pointsDirty = false;
  private queued = false;
  private frames = 0;
  private settled = false;
  private ended = false;

  constructor(
    private readonly host: HTMLElement,
    overlay: HTMLCanvasElement,
    public calm: boolean,
    private readonly sample: Sample,
  ) {
    this.renderer = createRenderer(host);
    this.overlay = new Overlay(overlay);
    this.renderer.canvas.addEventListener("webglcontextlost", () => this.fallBack());
    this.announce();
  }

  private announce() {
    this.host.dataset.renderer = this.renderer.kind;
    this.renderer.canvas.setAttribute("aria-hidden", "true");
  }

  resize(width: number, height: number) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.box.width = Math.max(1, width);
    this.box.height = Math.max(1, height);
    this.renderer.resize(this.box.width, this.box.height, ratio);
    this.overlay.resize(this.box, ratio);
    this.repaint();
  }

  /** Show the rows elsewhere; from a former layout of the same rows they glide there. */
  setPlaces(places: Float32Array) {
    const glides = this.places.length === places.length && !this.calm;
    this.from = glides ? this.places : places;
    this.places = places;
    this.fadeStart = glides ? performance.now() : -Infinity;
    this.renderer.setPositions(this.from, this.places);
    this.finder = null;
    window.clearTimeout(this.finderTimer);
    this.finderTimer = window.setTimeout(() => {
      this.finder = new Finder(places);
      this.remark();
    }, 300);
    this.repaint();
  }

  setLabels(labels: Labels) {
    this.labels = this.sample.of(labels);
    this.renderer.setLabels(this.paint?.codes ?? this.labels);
    this.repaint();
  }

  /** Colour the points by something else than their clusters; null: by their clusters again. */
  setPaint(paint: Paint | null) {
    this.paint = paint && { ...paint, codes: this.sample.of(paint.codes) };
    this.renderer.setLabels(this.paint?.codes ?? this.labels);
    this.renderer.setColours(paint?.table ?? this.table[0], this.table[1]);
    this.marks.lines = paint === null;
    this.repaint();
  }

  setColours(clusters: readonly Cluster[], dark: boolean, spotlight: ReadonlySet<number>) {
    const most = Math.max(0, ...clusters.map((cluster) => cluster.number));
    this.dark = dark;
    this.table = [colourTable(Math.max(most + 1, 256), dark, spotlight), background(dark)];
    this.renderer.setColours(this.paint?.table ?? this.table[0], this.table[1]);
    this.repaint();
  }

  setNames(clusters: readonly Cluster[]) {
    const found = extents(this.labels, this.places);
    const shown = [...clusters].sort((a, b) => b.size - a.size).slice(0, MOST_NAMES);
    this.marks.names = shown.flatMap(({ number, name }) => {
      const extent = found.get(number);
      return extent ? [{ text: name, cluster: number, ...extent }] : [];
    });
    this.remark();
  }

  /** What lies above the map, where no name can be read. */
  setCovered(covered: Rectangle[]) {
    this.marks.covered = covered;
    this.remark();
  }

  /** Ring the rows that changed colour, for a moment. */
  setMoved(rows: Uint32Array) {
    this.marks.moved = this.sample.points(rows);
    this.traceStart = performance.now();
    this.remark();
  }

  setPair(pair: [number, number] | null) {
    const [i, j] = (pair ?? []).map((row) => this.sample.point(row));
    this.marks.pair = i != null && j != null ? [i, j] : null;
    this.pairEnd = Infinity;
    this.remark();
  }

  /** Let the marked pair fade away. */
  letPairGo() {
    this.pairEnd = Math.min(this.pairEnd, performance.now());
    this.remark();
  }

  setHover(row: number | null) {
    const point = row === null ? null : this.sample.point(row);
    if (point === this.marks.hover) return;
    this.marks.hover = point;
    this.remark();
  }

  setChosen(rows: Uint32Array) {
    this.marks.chosen = this.sample.points(rows);
    this.remark();
  }

  setLoop(loop: [number, number][]) {
    this.marks.loop = loop;
    this.remark();
  }

  rowAt(px: number, py: number): number | null {
    const reach = Math.max(6, pointRadius(this.labels.length, this.camera.zoom) + 3);
    const point = this.finder?.nearest(px, py, reach, this.camera, this.box) ?? null;
    return point === null ? null : this.sample.row(point);
  }

  rowsInside(loop: [number, number][]): Uint32Array {
    return this.sample.rowsOf(inside(loop, this.places, this.camera, this.box));
  }

  pan(dx: number, dy: number) {
    this.camera.pan(dx, dy, this.box);
    this.move();
  }

  zoomAt(factor: number, px = this.box.width / 2, py = this.camera.middle(this.box)) {
    this.camera.zoomAt(factor, px, py, this.box);
    this.move();
  }

  fit() {
    this.camera.reset();
    this.move();
  }

  dispose() {
    this.ended = true;
    window.clearTimeout(this.finderTimer);
    this.renderer.dispose();
  }

  // --- frames ---

  private move() {
    this.lastMove = performance.now();
    this.repaint();
  }

  private repaint() {
    this.pointsDirty = true;
    this.queue();
  }

  private remark() {
    this.queue();
  }

  private queue() {
    this.host.dataset.still = "false";
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number) {
    this.queued = false;
    if (this.places.length === 0 || this.labels.length === 0) return;
    if (!this.settled) this.settle();
    const share = Math.min(1, Math.max(0, (now - this.fadeStart) / FADE));
    const moving = now - this.lastMove < REST;
    if (this.pointsDirty || share < 1) {
      this.renderer.draw(this.camera, eased(share), moving || share < 1);
      this.pointsDirty = moving || share < 1;
      this.host.dataset.frames = String(++this.frames);
    }
    this.drawMarks(now, share);
    if (this.frames === 1) performance.mark("linkwise:first-paint");
    if (this.pointsDirty) this.queue();
    else if (this.marks.movedAge < 1 || this.isLeaving) window.setTimeout(() => this.queue(), STEP);
    else this.host.dataset.still = String(this.finder !== null); // all is drawn, and can be pointed at
  }

  private get isLeaving() {
    return this.marks.pair !== null && this.pairEnd < Infinity && this.marks.pairAge < 1;
  }

  private drawMarks(now: number, share: number) {
    const age = Math.min(1, (now - this.traceStart) / TRACE);
    this.marks.movedAge = this.calm && age < 1 ? 0.2 : age;
    const left = Math.min(1, Math.max(0, (now - this.pairEnd) / LEAVING));
    this.marks.pairAge = this.calm && this.pairEnd < Infinity ? 1 : left;
    const look = lookOf(this.dark, pointRadius(this.labels.length, this.camera.zoom));
    const places = share < 1 ? this.from : this.places;
    this.overlay.draw(this.marks, places, this.labels, this.camera, this.box, look);
  }

  /** Before the first picture: find out whether the renderer is up to this many points. */
  private settle() {
    this.settled = true;
    if (isUpToIt(this.renderer, this.camera)) return;
    this.renderer.dispose();
    this.fallBack();
  }

  /** Without a GPU, or when it has gone (drivers restart, laptops sleep), the raster takes over. */
  private fallBack() {
    if (this.renderer.kind === "raster" || this.ended) return;
    this.renderer.canvas.remove();
    this.renderer = createRaster(this.host);
    this.announce();
    this.renderer.setPositions(this.from, this.places);
    this.renderer.setLabels(this.paint?.codes ?? this.labels);
    this.renderer.setColours(this.paint?.table ?? this.table[0], this.table[1]);
    this.resize(this.box.width, this.box.height);
  }
}

function eased(share: number): number {
  return share * share * (3 - 2 * share);
}
