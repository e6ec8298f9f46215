/** Points by WebGL2: positions uploaded once, labels as one small integer each, colours from a texture. */

import type { Labels } from "../api/types";
import { type Box, type Camera, pointRadius } from "./camera";
import type { Renderer } from "./renderer";

const VERTEX = `#version 300 es
layout(location = 0) in vec2 from;
layout(location = 1) in vec2 to;
layout(location = 2) in uint label;
uniform vec2 centre;
uniform vec2 stretch;
uniform float share;
uniform float diameter;
uniform highp sampler2D colours;
flat out vec3 colour;
void main() {
  vec2 place = (mix(from, to, share) - centre) * stretch;
  gl_Position = vec4(place, 0.0, 1.0);
  gl_PointSize = diameter;
  ivec2 size = textureSize(colours, 0);
  colour = texelFetch(colours, ivec2(int(label) % size.x, 0), 0).rgb;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
flat in vec3 colour;
uniform float diameter;
out vec4 pixel;
void main() {
  float away = length(gl_PointCoord - 0.5) * diameter;
  float cover = diameter < 2.5 ? 1.0 : clamp(diameter * 0.5 - away, 0.0, 1.0);
  if (cover <= 0.0) discard;
  pixel = vec4(colour, cover);
}`;

const PROBE = 20_000; // points drawn to find out how fast this is

export class WebglRenderer implements Renderer {
  readonly kind = "webgl";
  readonly canvas: HTMLCanvasElement;
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();
  private readonly buffers: WebGLBuffer[];
  private readonly texture: WebGLTexture;
  private n = 0;
  private box: Box = { width: 1, height: 1 };
  private ratio = 1;
  private paper: readonly number[] = [255, 255, 255];

  /** null where WebGL2 is missing; with `fastOnly` also where it would run on the processor. */
  static create(fastOnly: boolean): WebglRenderer | null {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      failIfMajorPerformanceCaveat: fastOnly,
    });
    return gl ? new WebglRenderer(canvas, gl) : null;
  }

  private constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext) {
    this.canvas = canvas;
    this.gl = gl;
    this.program = link(gl);
    for (const name of ["centre", "stretch", "share", "diameter", "colours"])
      this.places.set(name, gl.getUniformLocation(this.program, name));
    this.buffers = [0, 1, 2].map(() => gl.createBuffer());
    this.texture = gl.createTexture()!;
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  resize(width: number, height: number, ratio: number) {
    this.box = { width, height };
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.gl.viewport(0, 0, this.canvas.width, this.canvas.height);
  }

  setPositions(from: Float32Array, to: Float32Array) {
    this.n = from.length / 2;
    this.upload(0, from);
    this.upload(1, to);
  }

  private upload(place: 0 | 1, positions: Float32Array) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[place]);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
  }

  setLabels(labels: Labels) {
    const { gl } = this;
    const type = labels instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[2]);
    gl.bufferData(gl.ARRAY_BUFFER, labels, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 1, type, 0, 0);
  }

  setColours(table: Uint8Array, background: readonly number[]) {
    const { gl } = this;
    this.paper = background;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, table.length / 4, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  draw(camera: Camera, share: number, _moving: boolean) {
    const { gl, places } = this;
    const scale = camera.scale(this.box);
    gl.clearColor(this.paper[0] / 255, this.paper[1] / 255, this.paper[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const below = camera.middle(this.box) - this.box.height / 2;
    gl.uniform2f(places.get("centre")!, camera.x, camera.y + below / scale);
    gl.uniform2f(places.get("stretch")!, (2 * scale) / this.box.width, (2 * scale) / this.box.height);
    gl.uniform1f(places.get("share")!, share);
    gl.uniform1f(places.get("diameter")!, Math.max(1, 2 * pointRadius(this.n, camera.zoom) * this.ratio));
    gl.drawArrays(gl.POINTS, 0, this.n);
  }

  /** Seconds one picture takes, the GPU's work included; estimated from a part of the points. */
  cost(camera: Camera): number {
    const all = this.n;
    const pixel = new Uint8Array(4);
    const timed = (n: number) => {
      const start = performance.now();
      this.n = n;
      this.draw(camera, 1, false);
      this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, pixel);
      return (performance.now() - start) / 1000;
    };
    timed(1); // the first picture also pays for compiling the shaders
    const part = Math.min(all, PROBE);
    const seconds = (timed(part) * all) / part;
    this.n = all;
    return seconds;
  }

  dispose() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(`The map's shaders do not link: ${gl.getProgramInfoLog(program)}`);
  return program;
}
