/** The words the service speaks, under short names; generated from its own description of itself. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Around = Schemas["Around"];
export type Cluster = Schemas["Cluster"];
export type ClusterPage = Schemas["ClusterPage"];
export type ColumnValues = Schemas["ColumnValues"];
export type Column = Schemas["FileColumn"];
export type Columns = Schemas["Columns"];
export type DataFile = Schemas["DataFile"];
export type Job = Schemas["Job"];
export type NumberAdvice = Schemas["Number"];
export type People = Schemas["People"];
export type Progress = Schemas["Progress"];
export type Role = Column["role"];
export type Question = Schemas["Question"];
export type Row = Schemas["Row"];
export type SessionInfo = Schemas["SessionDetail"];
export type SessionSummary = Schemas["SessionSummary"];
export type Source = Schemas["NewSession"]["source"];
export type Suspicion = Schemas["Suspicion"];
export type Trouble = Schemas["Trouble"];
export type Upload = Schemas["Upload"];
export type Verdict = Schemas["AnswerPayload"]["verdict"];
export type ViewNews = Schemas["ViewNews"];

/** What each kind of event says; the service adds `guess`, what the clustering thought of an answer. */
interface Payloads {
  answer: { i: number; j: number; verdict: Verdict; guess?: "same" | "different"; drawn?: true };
  label: { rows: number[]; name: string };
  together: { rows: number[] };
  undo: Schemas["UndoPayload"];
  rename: Schemas["RenamePayload"];
  merge: Schemas["MergePayload"];
  split: { cluster: number; rows?: number[] | null };
  recluster: Schemas["ReclusterPayload"];
  nowhere: { rows: number[] };
  extend: { data: string; n_rows: number };
}

type Kind = Schemas["Event"]["kind"];
type EventOf<K extends Kind> = Omit<Schemas["Event"], "kind" | "payload"> & { kind: K; payload: Payloads[K] };

export type JournalEvent = { [K in Kind]: EventOf<K> }[Kind];

/** One thing said, as it is sent. */
export interface Entry {
  kind: JournalEvent["kind"];
  payload: Record<string, unknown>;
  key: string;
}

/** One small integer per row, as wide as the number of clusters asks for. */
export type Labels = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;
