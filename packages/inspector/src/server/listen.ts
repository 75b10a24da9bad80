import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { InspectorStartError } from '../start-error.ts';

/** A listening server. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Time that open requests get when the server closes. */
const CLOSE_MS = 2_000;

/** Listens and serves the app that `create` returns for the port. @throws InspectorStartError */
export async function listen(
  host: string,
  port: number,
  create: (port: number) => { fetch(request: Request): Response | Promise<Response> },
): Promise<Listening> {
  let app: ReturnType<typeof create> | undefined;
  const server = createAdaptorServer({
    fetch: (request) => app?.fetch(request) ?? new Response(null, { status: 503 }),
    // Without a global override, requests for other hosts reach the checks.
    overrideGlobalObjects: false,
  });
  const actual = await new Promise<number>((resolve, reject) => {
    server.once('error', (error) => reject(new InspectorStartError(host, port, error)));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
  server.on('error', () => {});
  app = create(actual);
  return { port: actual, close: () => closed(server) };
}

function closed(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  });
}
