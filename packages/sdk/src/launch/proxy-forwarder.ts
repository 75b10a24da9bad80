/** The port of the forwarder, on loopback of a network of its own. */
const PORT = 3128;

const ADDRESS = `http://127.0.0.1:${PORT}`;

/** The variables by which the CLI and its tools find the proxy. What they serve to each other on loopback does not pass through it. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: ADDRESS, http_proxy: ADDRESS, HTTPS_PROXY: ADDRESS, https_proxy: ADDRESS },
  ...{ NO_PROXY: 'localhost,127.0.0.1,::1', no_proxy: 'localhost,127.0.0.1,::1' },
};

/**
 * A command line that starts a forwarder, then becomes the program whose command line follows: without a network, the proxy can be reached
 * only by a socket file, but programs take its address. `runtime` is Node, Bun or Deno.
 */
export function throughProxy(socket: string, runtime: string, isDeno: boolean): readonly string[] {
  return ['/bin/sh', '-c', START, 'sh', socket, runtime, isDeno ? 'eval' : '-e', FORWARDER];
}

/**
 * The shell becomes the CLI, which so is older than the forwarder: signals find it by its age. Its parent in a namespace without network
 * is the first process, and it ends with the namespace.
 */
const START = `
socket=$1 runtime=$2 flag=$3 code=$4
shift 4
{ "$runtime" "$flag" "$code" "$socket" & } | read -r ready && exec "$@"
echo 'The forwarder to the proxy did not start.' >&2
exit 1`;

/** Ignores SIGTERM, which all tools get: the CLI may still need the network to end. */
const FORWARDER = `
import('node:net').then(({ connect, createServer }) => {
  process.on('SIGTERM', () => {});
  const open = { path: process.argv.at(-1), allowHalfOpen: true };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect(open);
    for (const [one, other] of [[client, proxy], [proxy, client]]) {
      one.on('error', () => {}).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(${PORT}, '127.0.0.1', () => console.log('ready'));
});`;
