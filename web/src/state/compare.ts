/** Two rows' fields side by side, with a word on how far apart each is. */

import type { Row } from "../api/types";

type Cell = Row["fields"][string] | undefined; // undefined: the row has no such field

export interface Compared {
  name: string;
  a: string;
  b: string;
  strength: 0 | 1 | 2; // alike, different, far apart
}

const LARGE = 10_000; // numbers of which what stands after the point is left out
export const MOST_FIELDS = 6; // that stand in a line
const FAR = 0.5; // numbers further apart than half the larger one

/** All fields but the one that is the rows' name: that one differs always and says nothing. */
export function compare(a: Row, b: Row): Compared[] {
  const names = [...new Set([...Object.keys(a.fields), ...Object.keys(b.fields)])];
  return names
    .filter((name) => !isName(a, name) || !isName(b, name))
    .map((name) => ({
      name,
      a: shown(a.fields[name]),
      b: shown(b.fields[name]),
      strength: apart(a.fields[name], b.fields[name]),
    }));
}

function isName(row: Row, name: string): boolean {
  return String(row.fields[name]) === String(row.id);
}

function apart(a: Cell, b: Cell): 0 | 1 | 2 {
  if (a === b || shown(a) === shown(b)) return 0;
  const [x, y] = [numeric(a), numeric(b)];
  if (x === null || y === null) return 2;
  if (x === y) return 0;
  return Math.abs(x - y) > FAR * Math.max(Math.abs(x), Math.abs(y)) ? 2 : 1;
}

/** Tables show numbers as they are written in the file: "5.0" is a number too. */
export function numeric(value: Cell): number | null {
  if (value === null || value === undefined || value === "" || typeof value === "boolean") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A row in a line: its text, or its first fields; "…" says that there is more. */
export function summary(row: Row, most = 160): string {
  if (row.text && row.text.length > most) return `${row.text.slice(0, most).replace(/\s+\S*$/, "")} …`;
  if (row.text) return row.text;
  const fields = fieldsOf(row);
  const first = fields.slice(0, MOST_FIELDS).join(", ");
  return fields.length > MOST_FIELDS ? `${first}, …` : first;
}

/** All of a row: its text, or every field on a line of its own. */
export function whole(row: Row): string {
  return row.text || fieldsOf(row).join("\n");
}

function fieldsOf(row: Row): string[] {
  return Object.entries(row.fields)
    .filter(([name]) => !isName(row, name))
    .map(([name, value]) => `${name} ${shown(value)}`);
}

export function shown(value: Cell): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "string" && !/^-?\d+\.\d{4,}(e[-+]?\d+)?$/i.test(value)) return value;
  if (typeof value === "boolean") return String(value);
  const number = Number(value);
  if (Number.isInteger(number)) return String(value);
  return String(Math.abs(number) >= LARGE ? Math.round(number) : Number(number.toPrecision(5)));
}
