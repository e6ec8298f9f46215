/** What a notebook loads: the widget's part in the cell, walled off from the page around it. */

import { mount, unmount } from "svelte";
import sheet from "../app.css?inline";
import { Cell, type Channel } from "./cell.svelte";
import { follow } from "./theme";
import Widget from "./Widget.svelte";

/** The studio's styles speak of the whole page; here the page is the widget. */
const styles = sheet
  .replaceAll(/:root\[data-theme="?dark"?\]/g, ':host([data-theme="dark"])')
  .replaceAll(":root", ":host");

function render({ model, el }: { model: Channel; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  host.dataset.lmSuppressShortcuts = "true"; // JupyterLab's keys are not meant for what is in here
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = styles;
  root.append(style);
  const cell = new Cell(model);
  const ignore = follow(host);
  const widget = mount(Widget, { target: root, props: { cell } });
  return () => {
    ignore();
    cell.close();
    void unmount(widget);
  };
}

export default { render };
