import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The page is served by linkwise itself, so the build lands inside the Python package. While one works on
// it, `LINKWISE_TOKEN=... npm run dev` serves the sources and passes the service's routes on to a running
// `linkwise serve`, in its own name.
const service = process.env.LINKWISE_SERVICE ?? "http://127.0.0.1:8321";
const passedOn = {
  target: service,
  changeOrigin: true,
  headers: { Authorization: `Bearer ${process.env.LINKWISE_TOKEN ?? ""}`, Origin: service },
};

export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../src/linkwise/server/studio",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: { include: ["tests/**/*.test.ts"] },
  server: { proxy: { "/api": passedOn, "/health": passedOn } },
});
