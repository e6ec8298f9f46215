/** Light or dark, as the notebook around the widget is. */

import { page } from "../state/page.svelte";

/** JupyterLab says it in an attribute, VS Code in a class; elsewhere the system decides. */
function themeOf(body: HTMLElement): "auto" | "light" | "dark" {
  const light = body.dataset.jpThemeLight;
  if (light !== undefined) return light === "false" ? "dark" : "light";
  if (body.classList.contains("vscode-dark") || body.classList.contains("vscode-high-contrast"))
    return "dark";
  return body.classList.contains("vscode-light") ? "light" : "auto";
}

/** Keep `host` in the notebook's theme; returns how to stop. */
export function follow(host: HTMLElement): () => void {
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  const look = () => {
    page.theme = themeOf(document.body);
    host.dataset.theme = page.theme === "auto" ? (media.matches ? "dark" : "light") : page.theme;
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { attributes: true });
  media.addEventListener("change", look);
  look();
  return () => {
    watch.disconnect();
    media.removeEventListener("change", look);
  };
}
