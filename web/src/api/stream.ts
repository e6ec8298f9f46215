/**
 * The service's news, followed for as long as the page is looked at; a lost connection resumes where it broke.
 *
 * A browser keeps only six connections to one server, for all tabs together. A tab in the background
 * therefore lets go of its stream after a while and takes it up again when somebody looks.
 */

import type { JournalEvent, ViewNews } from "./types";

export interface Listener {
  journal(event: JournalEvent): void;
  view(news: ViewNews): void;
  connected(): void;
  lost(): void;
}

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 4000;
const UNWATCHED = 20_000;

/** `address` is asked anew at each connection, so that it can say which event was seen last. */
export function follow(address: () => string, listener: Listener): () => void {
  let source: EventSource | null = null;
  let timer = 0;
  let sleep = 0;
  let pause = FIRST_PAUSE;
  let stopped = false;

  function open() {
    source = new EventSource(address());
    source.onopen = () => {
      pause = FIRST_PAUSE;
      listener.connected();
    };
    source.addEventListener("journal", (news: MessageEvent<string>) =>
      listener.journal(JSON.parse(news.data) as JournalEvent),
    );
    source.addEventListener("view", (news: MessageEvent<string>) =>
      listener.view(JSON.parse(news.data) as ViewNews),
    );
    source.onerror = () => {
      source?.close();
      if (stopped) return;
      listener.lost();
      timer = window.setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    };
  }

  function close() {
    window.clearTimeout(timer);
    source?.close();
    source = null;
  }

  function watched() {
    window.clearTimeout(sleep);
    if (document.hidden) sleep = window.setTimeout(close, UNWATCHED);
    else if (source === null) open();
  }

  open();
  document.addEventListener("visibilitychange", watched);
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", watched);
    window.clearTimeout(sleep);
    close();
  };
}
