import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** A port that passes connections on. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
}

/** Opens a port on an address for a server that listens elsewhere on this machine. */
export async function openRelay(address: string, to: NetConnectOpts): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(to);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, address);
  await once(server, 'listening');
  const found = server.address();
  return {
    port: typeof found === 'object' && found !== null ? found.port : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
