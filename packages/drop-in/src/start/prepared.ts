import type { RawSessionOptions } from 'coxswain/raw';
import { childTransport, type ExitReport, type StartRequest, type Transport } from 'coxswain/transport';

/** A step before the start of the CLI, which may change the request. */
export type Preparation = (request: StartRequest) => Promise<StartRequest>;

/** A transport that takes these steps before it starts the CLI. A query that is closed meanwhile does not start it. */
export function prepared(spawn: NonNullable<RawSessionOptions['spawn']>, steps: readonly Preparation[]): Transport {
  const child = childTransport({ spawn, bufferBytes: 1024 * 1024 });
  let state: 'preparing' | 'stopped' | 'started' = 'preparing';
  let stop: (exit: ExitReport) => void = () => {};
  const stopped = new Promise<ExitReport>((resolve) => {
    stop = resolve;
  });
  return {
    start: async (given) => {
      let request = given;
      for (const step of steps) request = await step(request);
      if (state === 'stopped') throw new Error('The query was closed before the CLI was started.');
      state = 'started';
      await child.start(request);
    },
    output: child.output,
    errorOutput: child.errorOutput,
    exited: Promise.race([child.exited, stopped]),
    get pid() {
      return child.pid;
    },
    write: (text) => child.write(text),
    endInput: () => child.endInput(),
    signal: (signal) => {
      if (state === 'started') return child.signal(signal);
      state = 'stopped';
      stop({ exitCode: null, signal: null, ended: 'by-itself' });
    },
    unref: () => child.unref?.(),
    ending: () => child.ending?.(),
    destroy: async () => child.destroy?.(),
  };
}
