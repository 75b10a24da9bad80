import { isResult, type ResultMessage, type Session } from 'coxswain';
import type { View } from './view.ts';

/** What goes on in the background of a turn, and outlives it. */
export interface Background extends Disposable {
  /** Waits until nothing is open any more, or nobody wants to wait. */
  over(enough: AbortSignal): Promise<BackgroundEnd>;
}

/** What came of it. */
export interface BackgroundEnd {
  /** The last result of a turn that the CLI began itself, if one came. */
  readonly result: ResultMessage | undefined;
  /** True when the wait ended before the work did. */
  readonly isCutOff: boolean;
}

/** Shows the turns that the CLI starts by itself, when work in the background has ended. */
export function followBackground(session: Session, view: View): Background {
  const messages = session.messages();
  let last: ResultMessage | undefined;
  let seq = 0;
  void (async () => {
    for await (const item of messages) {
      if (item.kind === 'gap' || item.turn !== null) continue;
      if (isResult(item.message)) last = item.message;
      await view.item({ kind: 'message', message: item.message, rawJson: item.rawJson, seq: seq++, at: item.at });
    }
  })().catch(() => {});
  return {
    async over(enough) {
      view.waiting('work in the background');
      let isCutOff = true;
      const idle = session.idle().then(
        () => {
          isCutOff = false;
        },
        () => {},
      );
      await Promise.race([idle, aborted(enough)]);
      // The follower gets its last messages right after the session has become idle.
      await new Promise((resolve) => setImmediate(resolve));
      view.waiting(undefined);
      return { result: last, isCutOff };
    },
    [Symbol.dispose]() {
      void messages.return?.().catch(() => {});
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
