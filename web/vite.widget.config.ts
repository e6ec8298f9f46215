import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// What a notebook's cell loads: one module that holds everything, styles included, in the Python package.
export default defineConfig({
  publicDir: false,
  plugins: [svelte({ emitCss: false, compilerOptions: { css: "injected" } })],
  build: {
    outDir: "../src/linkwise/notebook/page",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "src/widget/main.ts", formats: ["es"], fileName: () => "widget.js" },
  },
});
