import { onTestFinished } from 'vitest';
import { type ChildTransportOptions, childTransport } from '../../src/process/child.ts';
import type { StartRequest, Transport } from '../../src/process/transport.ts';

/** A started child transport; its processes are killed at the end of the test. */
export async function startChild(
  argv: readonly string[],
  request: Partial<StartRequest> = {},
  options: Partial<ChildTransportOptions> = {},
): Promise<Transport & { readonly pid: number }> {
  const transport = childTransport({ orphanGuard: false, ...options });
  onTestFinished(async () => {
    if (transport.pid === undefined) return;
    transport.signal('kill');
    await transport.exited;
    await transport.destroy?.();
  });
  await transport.start(requestFor(argv, request));
  if (transport.pid === undefined) throw new Error('A started child has a pid');
  return transport as Transport & { readonly pid: number }; // The pid was just checked.
}

/** A request to start `argv` in the test's own environment. */
export function requestFor(argv: readonly string[], request: Partial<StartRequest> = {}): StartRequest {
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
  return { argv, env, cwd: undefined, privateFiles: [], ...request };
}
