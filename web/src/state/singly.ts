/** Work of which only the latest counts: one at a time, and once more where it was wanted meanwhile. */

export function singly(work: () => Promise<void>): () => Promise<void> {
  let running = false;
  let again = false;
  return async () => {
    again = running;
    if (running) return;
    running = true;
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      running = false;
    }
  };
}
