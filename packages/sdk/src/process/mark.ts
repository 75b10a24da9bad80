/** In the environment of the CLI and all it starts: the only thing that still leads to a tool whose CLI was killed. */
export type Mark = { readonly COXSWAIN_RUN: string };

/** A mark that no other run on this machine has: worker threads share the pid, and each counts for itself. */
export function newMark(): Mark {
  return { COXSWAIN_RUN: `${process.pid}.${Math.random().toString(36).slice(2)}.${marks++}` };
}

/** As it stands among the variables of a process. */
export function entryOf(mark: Mark): string {
  return `COXSWAIN_RUN=${mark.COXSWAIN_RUN}`;
}

let marks = 0;
