/** What belongs to this browser alone: which screen is open, light or dark, and who is answering. */

export type Theme = "auto" | "light" | "dark";
export type Screen = { name: "home" } | { name: "new" } | { name: "session"; id: string };

const darkMedia = window.matchMedia("(prefers-color-scheme: dark)");
const calmMedia = window.matchMedia("(prefers-reduced-motion: reduce)");

class Page {
  screen = $state<Screen>(screenOf(location.hash));
  theme = $state<Theme>(remembered("theme", "auto") as Theme);
  who = $state(remembered("who", ""));
  /** Whose questions are whose, where nobody gave a name; the same in every tab, and tomorrow. */
  readonly nobody = remembered("nobody", `~${Math.random().toString(36).slice(2)}`);
  systemDark = $state(darkMedia.matches);
  calm = $state(calmMedia.matches);
  dark = $derived(this.theme === "auto" ? this.systemDark : this.theme === "dark");
  /** What assistive technology is told; the sentence is also on screen somewhere. */
  spoken = $state("");
  notice = $state.raw<{ text: string; kind: "error" | "done" } | null>(null);
  #noticeTimer = 0;

  constructor() {
    remember("nobody", this.nobody);
    window.addEventListener("hashchange", () => (this.screen = screenOf(location.hash)));
    darkMedia.addEventListener("change", () => (this.systemDark = darkMedia.matches));
    calmMedia.addEventListener("change", () => (this.calm = calmMedia.matches));
  }

  go(screen: Screen) {
    location.hash = screen.name === "session" ? `#/s/${screen.id}` : screen.name === "new" ? "#/new" : "#/";
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    remember("theme", theme);
  }

  setWho(who: string) {
    this.who = who.trim().slice(0, 200);
    remember("who", this.who);
  }

  say(text: string) {
    this.spoken = text;
  }

  tell(text: string, kind: "error" | "done" = "done") {
    this.notice = { text, kind };
    window.clearTimeout(this.#noticeTimer);
    this.#noticeTimer = window.setTimeout(() => (this.notice = null), kind === "error" ? 12_000 : 5_000);
  }
}

function screenOf(hash: string): Screen {
  const session = /^#\/s\/(.+)$/.exec(hash);
  if (session) return { name: "session", id: decodeURIComponent(session[1]) };
  return hash === "#/new" ? { name: "new" } : { name: "home" };
}

export function remembered(what: string, otherwise: string): string {
  try {
    return localStorage.getItem(`linkwise.${what}`) ?? otherwise;
  } catch {
    return otherwise; // storage may be switched off; then nothing is remembered
  }
}

export function remember(what: string, value: string) {
  try {
    localStorage.setItem(`linkwise.${what}`, value);
  } catch {
    // see remembered()
  }
}

export const page = new Page();
