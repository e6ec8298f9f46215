/** Where the rows lie on the map: the quick projection at once, the better layout when it is ready. */

import { Unreachable, api } from "../api/client";
import type { Live } from "./live.svelte";

const QUICK = "pca";
const BETTER = "neighbours";
const WORDS: Record<string, string> = { [QUICK]: "Overview", [BETTER]: "Neighbours" };
const PAUSE = 700;

export class Layouts {
  shown = $state(QUICK);
  ready = $state.raw<string[]>([QUICK]);
  working = $state(false);
  percent = $state("");
  #stopped = false;

  constructor(private readonly live: Live) {}

  get places(): Float32Array {
    return this.live.layouts.get(this.shown)!;
  }

  words(kind: string): string {
    return WORDS[kind] ?? kind;
  }

  show(kind: string) {
    this.shown = kind;
  }

  stop() {
    this.#stopped = true;
  }

  /** Ask for the better layout, wait for it, and glide there; asks again for as long as nobody answers. */
  async improve() {
    while (!this.#stopped) {
      try {
        await this.#fetch();
        break;
      } catch (error) {
        if (!(error instanceof Unreachable)) break; // without it the overview is what there is
        await new Promise((wake) => setTimeout(wake, PAUSE));
      }
    }
    this.working = false;
  }

  async #fetch() {
    if (!this.live.info?.layouts.includes(BETTER)) await this.#compute();
    if (this.#stopped) return;
    if (!this.live.layouts.has(BETTER)) this.live.layouts.set(BETTER, await api.layout(this.live.id, BETTER));
    this.ready = [QUICK, BETTER];
    this.shown = BETTER;
  }

  async #compute() {
    const { job } = await api.improveLayout(this.live.id, BETTER);
    this.working = true;
    while (!this.#stopped) {
      const { state, done, total } = await api.job(job);
      if (state === "done") return;
      if (state !== "running") throw new Error(state);
      this.percent = total > 0 ? `, ${Math.round((100 * done) / total)} %` : "";
      await new Promise((wake) => setTimeout(wake, PAUSE));
    }
  }
}
