import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

/** An HTTP proxy on a socket file, which connects one host name with an address and refuses all others. */
export interface EgressProxy extends AsyncDisposable {
  /** The host names that were asked for. */
  readonly asked: readonly string[];
}

/** Starts a proxy that every user of the machine may use. */
export async function startEgressProxy(socket: string, host: string, target: URL): Promise<EgressProxy> {
  const asked: string[] = [];
  const isAllowed = (name: string): boolean => {
    asked.push(name);
    return name === host;
  };
  const server = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '', 'http://none');
    if (!isAllowed(url.hostname)) return void answer.writeHead(403).end('not allowed');
    const { hostname, port } = target;
    const { method, headers } = incoming;
    const outgoing = request({ hostname, port, path: url.pathname + url.search, method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connect', ({ url = '' }, client) => {
    client.on('error', () => {});
    if (!isAllowed(url.replace(/:\d+$/, ''))) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const remote = connect(Number(target.port), target.hostname, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      remote.pipe(client).pipe(remote);
    });
    remote.on('error', () => client.destroy());
  });
  server.listen(socket);
  await once(server, 'listening');
  await chmod(socket, 0o777);
  return {
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
