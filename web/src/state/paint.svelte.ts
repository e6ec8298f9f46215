/** What the colours on the map say: clusters, or a column, how sure rows are, who spoke about them. */

import { api } from "../api/client";
import { type Rgb, background, clusterRgb, mix, rgb } from "../map/palette";
import type { Live } from "./live.svelte";
import { page } from "./page.svelte";
import { rowsSaid } from "./words";

const NONE = 255;
const ENDS: Record<"light" | "dark", [string, string]> = {
  light: ["#f0cf65", "#2a2d7c"],
  dark: ["#3a3f8f", "#ffe28a"],
};

export interface Paint {
  codes: Uint8Array<ArrayBuffer>;
  table: Uint8Array;
  legend: { words: string; colour: string }[];
}

export class Painter {
  by = $state("clusters");
  paint = $state.raw<Paint | null>(null); // null: the colours of the clusters
  constructor(private readonly live: Live) {}

  /** What there is to colour by. */
  get choices(): { value: string; words: string }[] {
    const columns = (this.live.info?.columns ?? []).filter((column) => column.type !== "image");
    return [
      { value: "clusters", words: "clusters" },
      { value: "sureness", words: "how sure" },
      { value: "who", words: "who said it" },
      ...columns.map(({ name }) => ({ value: `column ${name}`, words: name })),
    ];
  }

  /** Colour by something else; columns are asked for once each time. */
  async show(by: string) {
    this.by = by;
    try {
      const found = await this.#painted(by);
      if (by === this.by) this.paint = found;
    } catch (error) {
      this.by = "clusters";
      this.paint = null;
      page.tell((error as Error).message, "error");
    }
  }

  async #painted(by: string): Promise<Paint | null> {
    if (by === "clusters") return null;
    if (by === "sureness") {
      const codes = await api.margins(this.live.id);
      return scale(
        codes.map((margin) => Math.min(margin, NONE - 1)),
        ["toss-up", "certain"],
      );
    }
    if (by === "who") {
      await this.live.earliest();
      return this.#who();
    }
    const { kind, legend, codes } = await api.column(this.live.id, by.slice("column ".length));
    return kind === "number"
      ? scale(Uint8Array.from(codes), legend)
      : categories(Uint8Array.from(codes), legend);
  }

  /** The person who spoke about a row last. */
  #who(): Paint {
    const people: string[] = [];
    const codes = new Uint8Array(this.live.labels.length).fill(NONE);
    for (const event of this.live.events) {
      const rows = event.undone_by === null ? rowsSaid(event) : [];
      if (rows.length === 0) continue;
      const who = event.who || "someone";
      if (!people.includes(who)) people.push(who);
      for (const row of rows) codes[row] = Math.min(people.indexOf(who), NONE - 1);
    }
    return categories(codes, people);
  }
}

const css = (colour: Rgb) => `rgb(${colour.join(" ")})`;

function table(colours: Rgb[]): Uint8Array {
  const found = new Uint8Array(4 * 256);
  const nothing = mix(background(page.dark), page.dark ? [255, 255, 255] : [0, 0, 0], 0.16);
  for (let code = 0; code < 256; code++) found.set([...(colours[code] ?? nothing), 255], 4 * code);
  return found;
}

function scale(codes: Uint8Array<ArrayBuffer>, [low, high]: string[]): Paint {
  const [from, to] = ENDS[page.dark ? "dark" : "light"].map(rgb);
  const colours = Array.from({ length: NONE }, (_, code) => mix(from, to, code / (NONE - 1)));
  const legend = [
    { words: low, colour: css(from) },
    { words: high, colour: css(to) },
  ];
  return { codes, table: table(colours), legend };
}

function categories(codes: Uint8Array<ArrayBuffer>, names: string[]): Paint {
  const colours = names.map((_, k) => clusterRgb(k, page.dark));
  return {
    codes,
    table: table(colours),
    legend: names.map((words, k) => ({ words, colour: css(colours[k]) })),
  };
}
