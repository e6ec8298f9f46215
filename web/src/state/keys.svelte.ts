/** One key for each thing a person says; which, is theirs to choose. */

import { remember, remembered } from "./page.svelte";

export type Deed = "same" | "different" | "unsure" | "none" | "undo";

const FIRST: Record<Deed, string> = { same: "S", different: "D", unsure: "C", none: "0", undo: "U" };

/** What the keys are for, in words. */
export const DEEDS: Record<Deed, string> = {
  same: "They belong together",
  different: "They are different",
  unsure: "Cannot tell",
  none: "None of these",
  undo: "Take the last one back (Ctrl+Z and ⌘Z do it too)",
};

class Keys {
  of = $state.raw<Record<Deed, string>>({ ...FIRST, ...kept() });

  /** Give a deed another key; false if the key has a use already. */
  change(deed: Deed, key: string): boolean {
    const wanted = key.toUpperCase();
    const isTaken = Object.entries(this.of).some(([other, its]) => other !== deed && its === wanted);
    if (wanted.length !== 1 || isTaken || /[1-5?]/.test(wanted)) return false;
    this.of = { ...this.of, [deed]: wanted };
    remember("keys", JSON.stringify(this.of));
    return true;
  }

  reset() {
    this.of = FIRST;
    remember("keys", "{}");
  }

  deed(key: string): Deed | undefined {
    const wanted = key.toUpperCase();
    return (Object.keys(this.of) as Deed[]).find((deed) => this.of[deed] === wanted);
  }
}

function kept(): Partial<Record<Deed, string>> {
  try {
    return JSON.parse(remembered("keys", "{}")) as Partial<Record<Deed, string>>;
  } catch {
    return {};
  }
}

export const keys = new Keys();

/** Whether a key press is meant for what is on the table: nobody else took it or types, and nothing covers it. */
export function isForTheTable(event: KeyboardEvent): boolean {
  if (event.altKey || event.repeat || event.defaultPrevented) return false;
  if (document.querySelector("dialog[open], details.covering[open]") !== null) return false;
  const { target } = event;
  return !(target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]"));
}
