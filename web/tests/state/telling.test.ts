/** Of many fields those come first that tell clusters apart. */

import { expect, test } from "vitest";
import type { Row } from "../../src/api/types";
import { inOrder, telling } from "../../src/state/telling";

const row = (fields: Row["fields"]): Row => ({
  row: 0,
  id: 0,
  fields,
  text: null,
  has_image: false,
  cluster: 0,
  margin: 1,
});

const groups = [
  [
    row({ same: "x", noise: 1, name: "a", kind: "red", size: "1.0" }),
    row({ same: "x", noise: 9, name: "b", kind: "red", size: "1.2" }),
  ],
  [
    row({ same: "x", noise: 2, name: "c", kind: "blue", size: "7.1" }),
    row({ same: "x", noise: 8, name: "d", kind: null, size: "7.0" }),
  ],
];

test("what differs between the groups and not within comes first, what never differs not at all", () => {
  expect(telling(groups)).toEqual(["kind", "size", "name"]);
});

test("one group, or rows alone, tell nothing", () => {
  expect(telling(groups.slice(0, 1))).toEqual([]);
  expect(telling(groups.map((rows) => rows.slice(0, 1)))).toEqual([]);
});

test("the other fields follow in their own order", () => {
  const ordered = inOrder(groups[0][0], ["size", "unknown", "kind"]);
  expect(Object.entries(ordered.fields).map(([name]) => name)).toEqual([
    "size",
    "kind",
    "same",
    "noise",
    "name",
  ]);
  expect(ordered.fields.size).toBe("1.0");
});
