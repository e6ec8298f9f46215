import { describe, expect, it } from "vitest";
import type { DataFile, Role, SessionInfo } from "../../src/api/types";
import { aboutColumns, asSent, changed, groupedBy, guessed, offered } from "../../src/state/uses";

const column = (name: string, role: Role) => ({
  name,
  role,
  type: "text" as const,
  examples: [],
  reason: "",
});
const file = {
  columns: [column("nr", "id"), column("key", "id"), column("note", "text"), column("zip", "number")],
  guess: { id: "key", features: ["note", "zip"], text: "note", image: null },
} as unknown as DataFile;

describe("what columns are used for", () => {
  it("is guessed, and one column names the rows", () => {
    expect(guessed(file)).toEqual({ nr: "ignored", key: "id", note: "text", zip: "number" });
  });

  it("can be changed, and the column that named the rows before does not any more", () => {
    const uses = changed(guessed(file), "nr", "id");
    expect(uses).toEqual({ nr: "id", key: "ignored", note: "text", zip: "number" });
  });

  it("is sent with the roles that differ from the guess", () => {
    const uses = changed(guessed(file), "zip", "category");
    expect(groupedBy(uses)).toEqual(["note", "zip"]);
    expect(asSent(file, uses)).toEqual({
      id: "key",
      features: ["note", "zip"],
      text: "note",
      image: null,
      roles: { zip: "category" },
    });
  });

  it("may be showing a text without grouping by it", () => {
    const sent = asSent(file, changed(guessed(file), "note", "shown text"));
    expect(sent).toMatchObject({ features: ["zip"], text: "note", roles: {} });
  });

  it("offers pictures and vectors only where there are some", () => {
    expect(offered(column("a", "text"))).not.toContain("picture");
    expect(offered(column("a", "picture"))[0]).toBe("picture");
    expect(offered(column("a", "vector"))[0]).toBe("vector");
  });
});

it("says what a session is grouped by and what was left out", () => {
  const info = {
    grouped_by: "note (text)",
    left_out: { nr: "it counts the rows" },
    n_unusable: 2,
    notes: ["So it is."],
  };
  expect(aboutColumns(info as unknown as SessionInfo)).toBe(
    "Grouped by note (text). Left out: nr (it counts the rows). 2 rows have nothing to group by. So it is.",
  );
});
