/** Two rows side by side: which fields are shown, and how far apart they are said to be. */

import { describe, expect, test } from "vitest";
import type { Row } from "../../src/api/types";
import { compare, shown, summary, whole } from "../../src/state/compare";

type Fields = Row["fields"];

function row(id: string | number, fields: Fields): Row {
  return { row: 0, id, fields, text: null, has_image: false, cluster: 0, margin: 1 };
}

/** How far apart two values of one field are said to be. */
function strength(a: Fields[string], b: Fields[string]): number {
  return compare(row("ann", { height: a }), row("bob", { height: b }))[0].strength;
}

describe("compare", () => {
  test("leaves out the field that is the rows' name", () => {
    const fields = compare(row("ann", { name: "ann", age: 3 }), row("bob", { name: "bob", age: 4 }));
    expect(fields.map((field) => field.name)).toEqual(["age"]);
  });

  test("keeps a field that happens to equal the name of one row only", () => {
    const fields = compare(row(7, { age: 7 }), row(8, { age: 9 }));
    expect(fields).toEqual([{ name: "age", a: "7", b: "9", strength: 1 }]);
  });

  test("shows a field that only one row has", () => {
    const fields = compare(row("ann", { age: 3 }), row("bob", { size: 4 }));
    expect(fields).toEqual([
      { name: "age", a: "3", b: "–", strength: 2 },
      { name: "size", a: "–", b: "4", strength: 2 },
    ]);
  });

  test.each([
    [3, 3, 0],
    ["3.0", "3", 0], // a number however it is written
    [0.1 + 0.2, 0.3, 0], // alike as shown
    [null, "", 0], // both are missing
    [10, 14, 1],
    [10, 20, 1], // exactly half the larger one is not far
    [10, 20.1, 2],
    [-1, 1, 2],
    ["red", "blue", 2],
    [3, "blue", 2],
    [3, null, 2],
    [0, false, 2], // a truth value is no number
  ])("says of %j and %j: %i", (a, b, expected) => {
    expect(strength(a, b)).toBe(expected);
    expect(strength(b, a)).toBe(expected);
  });
});

describe("summary", () => {
  const letter = (text: string): Row => ({ ...row("ann", {}), text });

  test("shortens a long text between two words, and says so", () => {
    expect(summary(letter("All work and no play"), 10)).toBe("All work …");
    expect(summary(letter("All work and no play"), 20)).toBe("All work and no play");
  });

  test("shortens a text that is one long word", () => {
    expect(summary(letter("abcdefghij"), 4)).toBe("abcd …");
  });

  test("names six fields, and says where there are more", () => {
    const six = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };
    expect(summary(row("ann", six))).toBe("a 1, b 2, c 3, d 4, e 5, f 6");
    expect(summary(row("ann", { ...six, g: 7 }))).toBe("a 1, b 2, c 3, d 4, e 5, f 6, …");
  });
});

describe("whole", () => {
  test("is the text of a row, or each of its fields on a line", () => {
    expect(whole({ ...row("ann", { age: 3 }), text: "All work" })).toBe("All work");
    expect(whole(row("ann", { name: "ann", age: 3, size: 0.1 + 0.2 }))).toBe("age 3\nsize 0.3");
  });
});

describe("shown", () => {
  test.each([
    [null, "–"],
    [undefined, "–"],
    ["", "–"],
    [0, "0"],
    [false, "false"],
    ["5.0", "5.0"], // as it is written in the file
    [123456789, "123456789"],
    [1.23456789, "1.2346"],
    [0.1 + 0.2, "0.3"],
    [123456.789, "123457"], // no digit before the point is lost
    ["-20000.12345", "-20000"],
  ])("writes %j as %s", (value, expected) => {
    expect(shown(value)).toBe(expected);
  });
});
