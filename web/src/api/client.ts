/** Every request the studio makes. Nothing here decides anything: a call goes out, its answer comes back. */

import type {
  Around,
  Cluster,
  ClusterPage,
  ColumnValues,
  Columns,
  DataFile,
  Entry,
  Job,
  JournalEvent,
  Labels,
  NumberAdvice,
  People,
  Progress,
  Question,
  Row,
  SessionInfo,
  SessionSummary,
  Source,
  Suspicion,
  Trouble,
  Upload,
} from "./types";

/** What the service sends when it refuses. */
interface Refusal {
  error: string;
}

/** The service refused, and said why in a sentence. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** The service did not answer at all: stopped, restarting, or out of reach. */
export class Unreachable extends Error {}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable("The linkwise server does not answer.");
  }
  if (response.ok || response.status === 304) return response;
  throw new Refused(response.status, await sentenceOf(response));
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as Partial<Refusal>;
    if (typeof body.error === "string") return body.error;
  } catch {
    // A proxy or a crash may answer without JSON: the status line has to do.
  }
  return `The server answered ${response.status} ${response.statusText}.`;
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await call(path, { signal })).json() as Promise<T>;
}

async function post<T>(path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method: "POST" };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  return (await call(path, init)).json() as Promise<T>;
}

const of = (session: string) => `/api/sessions/${encodeURIComponent(session)}`;

export interface LabelChange {
  seq: number;
  rows: Uint32Array | null; // null: `labels` holds every row
  labels: Labels;
}

export type Export = "labels" | "table" | "answers" | "links" | "names" | "history";

/** Which questions are wanted. */
export interface Wanted {
  n: number;
  kind: "auto" | Question["kind"];
  skip: [number, number][];
  who: string;
  overlap: number;
  formerly: string; // whose questions are theirs, too
  asked: number;
}

export const api = {
  sessions: () => get<SessionSummary[]>("/api/sessions"),
  files: () => get<string[]>("/api/files"),
  file: (name: string, encoding: string | null) =>
    get<DataFile>(`/api/files/description?file=${encodeURIComponent(name)}${readAs(encoding)}`),
  session: (s: string) => get<SessionInfo>(of(s)),
  remove: (s: string) => call(of(s), { method: "DELETE" }),
  create: (
    name: string,
    n_clusters: number | "auto",
    source: Source,
    columns: Columns | null,
    standardise: boolean | null,
  ) => post<{ job: string }>("/api/sessions", { name, n_clusters, source, columns, standardise }),

  job: (job: string) => get<Job>(`/api/jobs/${encodeURIComponent(job)}`),
  cancel: (job: string) => call(`/api/jobs/${encodeURIComponent(job)}`, { method: "DELETE" }),

  append: (s: string, events: Entry[], who: string) =>
    post<{ events: JournalEvent[] }>(`${of(s)}/events`, { events, who }),
  history: (s: string, after: number, limit: number) =>
    get<{ events: JournalEvent[]; seq: number }>(`${of(s)}/history?after=${after}&limit=${limit}`),
  clusters: (s: string, atLeast: number) => get<Cluster[]>(`${of(s)}/clusters?at_least=${atLeast}`),
  /** `who` keeps them from everybody else meanwhile; `asked` is how many this person has had. */
  questions: (s: string, wanted: Wanted) => {
    const { skip, ...others } = wanted;
    const query = new URLSearchParams({ fresh: "false" });
    for (const [name, value] of Object.entries(others)) query.set(name, String(value));
    if (skip.length > 0) query.set("skip", skip.map(([i, j]) => `${i}-${j}`).join(","));
    return get<Question[]>(`${of(s)}/questions?${query.toString()}`);
  },
  cluster: (s: string, number: number, after = 0) =>
    get<ClusterPage>(`${of(s)}/clusters/${number}?after=${after}`),
  around: (s: string, row: number) => get<Around>(`${of(s)}/rows/${row}/around`),
  search: (s: string, text: string, limit: number) =>
    get<number[]>(`${of(s)}/search?text=${encodeURIComponent(text)}&limit=${limit}`),
  column: (s: string, name: string) => get<ColumnValues>(`${of(s)}/column?name=${encodeURIComponent(name)}`),
  margins: async (s: string) => new Uint8Array(await (await call(`${of(s)}/margins`)).arrayBuffer()),
  number: (s: string) => get<NumberAdvice>(`${of(s)}/number`),
  people: (s: string) => get<People>(`${of(s)}/people`),
  takeIn: (s: string, upload: string, who: string) =>
    post<{ events: JournalEvent[] }>(`${of(s)}/import`, { upload, who }),
  rows: (s: string, rows: number[], signal?: AbortSignal) =>
    get<Row[]>(`${of(s)}/rows?fresh=false&rows=${rows.join(",")}`, signal),
  conflicts: (s: string) => get<Trouble[]>(`${of(s)}/conflicts`),
  suspects: (s: string) => get<Suspicion[]>(`${of(s)}/suspects`),
  progress: (s: string) => get<Progress>(`${of(s)}/progress`),
  recipe: async (s: string) => (await get<{ python: string }>(`${of(s)}/recipe`)).python,

  image: (s: string, row: number) => `${of(s)}/rows/${row}/image`,
  exported: (s: string, what: Export, format: "csv" | "parquet") =>
    `${of(s)}/export?what=${what}&format=${format}`,
  streamed: (s: string, after: number) => `${of(s)}/stream?after=${after}`,

  /** Two float32 per row, straight from the wire. */
  async layout(s: string, kind: string): Promise<Float32Array> {
    return new Float32Array(await (await call(`${of(s)}/layout/${kind}`)).arrayBuffer());
  },
  onMap: async (s: string) => new Uint32Array(await (await call(`${of(s)}/map`)).arrayBuffer()),
  improveLayout: (s: string, kind: string) => post<{ job: string }>(`${of(s)}/layout/${kind}`),

  /** All labels of a moment not before `atLeast`, or only those that differ from the moment `since`. */
  async labels(s: string, atLeast: number, since?: number): Promise<LabelChange> {
    const query = `?at_least=${atLeast}${since === undefined ? "" : `&since=${since}`}`;
    const response = await call(`${of(s)}/labels${query}`, { cache: "no-store" });
    const body = await response.arrayBuffer();
    const seq = Number(response.headers.get("X-Linkwise-Seq"));
    const Kind = response.headers.get("X-Linkwise-Type") === "uint16" ? Uint16Array : Uint8Array;
    const listed = response.headers.get("X-Linkwise-Rows");
    if (since === undefined || listed === null) return { seq, rows: null, labels: new Kind(body) };
    const n = Number(listed);
    return { seq, rows: new Uint32Array(body, 0, n), labels: new Kind(body, 4 * n, n) };
  },
};

/** The part of an address that tells the encoding of a file, where somebody has told it. */
function readAs(encoding: string | null): string {
  return encoding === null ? "" : `&encoding=${encodeURIComponent(encoding)}`;
}

/** Send a file with a progress callback (fetch cannot tell how much has been sent). */
export function upload(
  file: File,
  onProgress: (share: number) => void,
  encoding: string | null = null,
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}${readAs(encoding)}`);
    request.responseType = "json";
    request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(event.total, 1));
    request.onerror = () => reject(new Unreachable("The linkwise server does not answer."));
    request.onload = () => {
      if (request.status < 300) return resolve(request.response as Upload);
      const said = request.response as Refusal | null; // null: not JSON
      reject(new Refused(request.status, said?.error ?? `The server answered ${request.status}.`));
    };
    request.send(file);
  });
}

/** A key by which the service recognises an answer that was sent twice. */
export function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
}
