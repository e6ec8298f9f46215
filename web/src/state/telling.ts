/** Which fields of a table tell its clusters apart: of many, people are shown these first. */

import type { Row } from "../api/types";
import { numeric, shown } from "./compare";

const FIRST = 12; // fields that are brought to the front

/** The names of the fields that differ most between groups of rows and least within, the best first. */
export function telling(groups: readonly Row[][]): string[] {
  const full = groups.filter((rows) => rows.length > 1);
  if (full.length < 2) return [];
  const scored = Object.keys(full[0][0].fields).map((name) => ({ name, score: score(full, name) }));
  const useful = scored.filter((field) => field.score > 0).sort((a, b) => b.score - a.score);
  return useful.slice(0, FIRST).map((field) => field.name);
}

/** The same row with some fields before all others. */
export function inOrder(row: Row, first: readonly string[]): Row {
  if (first.length === 0) return row;
  const front = Object.fromEntries(first.filter((name) => name in row.fields).map((name) => [name, null]));
  return { ...row, fields: { ...front, ...row.fields } };
}

/** The share of a field's variety that lies between the groups: 1 where each has a value of its own. */
function score(groups: readonly Row[][], name: string): number {
  const values = groups.map((rows) => rows.map((row) => row.fields[name]).filter((it) => shown(it) !== "–"));
  const numbers = values.map((its) => its.map(numeric).filter((it) => it !== null));
  if (2 * numbers.flat().length > values.flat().length) return between(numbers, squares);
  return between(values, differing);
}

function between<T>(groups: T[][], variety: (values: T[]) => number): number {
  const whole = variety(groups.flat());
  const within = groups.reduce((sum, its) => sum + variety(its), 0);
  return whole > 0 ? 1 - within / whole : 0;
}

/** Of numbers: the sum of squares around their mean. */
function squares(numbers: number[]): number {
  const mean = numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
  return numbers.reduce((sum, it) => sum + (it - mean) ** 2, 0);
}

/** Of other values: in how many two of them differ, on average over the one of them. */
function differing(values: unknown[]): number {
  const times = new Map<unknown, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times.values()].reduce((sum, n) => sum + n * (1 - n / values.length), 0);
}
