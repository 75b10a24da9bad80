import { childTransport, type StartRequest, type Transport } from 'coxswain/transport';

/** A transport that delays its first write: the CLI runs for a while without the handshake. */
export function lateHandshake(cli: string): { readonly open: () => Transport; readonly write: () => void } {
  let write = (): void => {};
  let gate: Promise<void> | undefined = new Promise((resolve) => {
    write = resolve;
  });
  const open = (): Transport => {
    const child = childTransport();
    return {
      start: (request: StartRequest) => child.start({ ...request, argv: [cli, ...request.argv.slice(1)] }),
      async write(text) {
        await gate;
        gate = undefined;
        await child.write(text);
      },
      output: child.output,
      errorOutput: child.errorOutput,
      endInput: () => child.endInput(),
      signal: (signal) => child.signal(signal),
      get exited() {
        return child.exited;
      },
      get pid() {
        return child.pid;
      },
    };
  };
  return { open, write: () => write() };
}
