import { expect, test } from "vitest";
import { singly } from "../../src/state/singly";

test("what is wanted while it runs is done once more, however often it was wanted", async () => {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const ask = singly(() => {
    begun++;
    return new Promise((done) => waiting.push(done));
  });
  const all = ask();
  for (let k = 0; k < 5; k++) void ask();
  expect(begun).toBe(1);
  waiting.shift()!();
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toBe(2);
  waiting.shift()!();
  await all;
  expect(begun).toBe(2);
});

test("after a failure it can be asked again", async () => {
  let begun = 0;
  const ask = singly(() => (begun++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve()));
  await expect(ask()).rejects.toThrow("away");
  await ask();
  expect(begun).toBe(2);
});
