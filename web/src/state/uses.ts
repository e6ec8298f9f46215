/** What the columns of a file are used for: the guess of the service, changed by hand, as it is sent. */

import type { Column, Columns, DataFile, Role, SessionInfo } from "../api/types";
import { rowsOf } from "./trace";

/** A role, or only to be seen: a text or picture that rows are not grouped by. */
export type Use = Role | "shown text" | "shown picture";
export type Uses = Record<string, Use>;

export const WORDS: Record<Use, string> = {
  number: "group by the number",
  category: "group by the category",
  date: "group by the date",
  text: "group by the text",
  picture: "group by the picture",
  vector: "group by the vector",
  id: "name of the row",
  "shown text": "text to show",
  "shown picture": "picture to show",
  ignored: "leave out",
};

/** The service's guess; of several columns that could name the rows, one does. */
export function guessed(file: DataFile): Uses {
  const name = file.columns.find((column) => column.role === "id" && column.name === file.guess.id)?.name;
  return Object.fromEntries(
    file.columns.map((column) => [
      column.name,
      column.role === "id" && column.name !== name ? "ignored" : column.role,
    ]),
  );
}

/** What a column can be used for. */
export function offered(column: Column): Use[] {
  const uses: Use[] = ["number", "category", "date", "text", "id", "shown text", "ignored"];
  if (column.role === "picture") uses.unshift("picture", "shown picture");
  if (column.role === "vector") uses.unshift("vector");
  return uses;
}

/** The same with one column used otherwise; only one column names the rows. */
export function changed(uses: Uses, name: string, use: Use): Uses {
  const entries = Object.entries(uses).map(([other, its]): [string, Use] =>
    other === name ? [other, use] : [other, use === "id" && its === "id" ? "ignored" : its],
  );
  return Object.fromEntries(entries);
}

/** The columns that rows are grouped by. */
export function groupedBy(uses: Uses): string[] {
  return Object.keys(uses).filter(
    (name) => !["id", "ignored", "shown text", "shown picture"].includes(uses[name]),
  );
}

/** What is sent to the service: who names rows, what is grouped by and shown, and which roles were changed. */
export function asSent(file: DataFile, uses: Uses): Columns {
  const first = (...wanted: Use[]) => Object.keys(uses).find((name) => wanted.includes(uses[name])) ?? null;
  const features = groupedBy(uses);
  const told = file.columns.filter(
    (column) => features.includes(column.name) && uses[column.name] !== column.role,
  );
  return {
    id: first("id"),
    features,
    text: first("shown text") ?? first("text"),
    image: first("shown picture") ?? first("picture"),
    roles: Object.fromEntries(told.map((column) => [column.name, uses[column.name] as Role])),
  };
}

/** What a session is grouped by, what was left out of it and why, in sentences. */
export function aboutColumns(session: SessionInfo): string {
  const out = Object.entries(session.left_out).map(([name, why]) => `${name} (${why})`);
  const n = session.n_unusable;
  return [
    `Grouped by ${session.grouped_by}.`,
    out.length > 0 ? ` Left out: ${out.join(", ")}.` : "",
    n > 0 ? ` ${rowsOf(n)} ${n === 1 ? "has" : "have"} nothing to group by.` : "",
    ...session.notes.map((note) => ` ${note}`),
  ].join("");
}
