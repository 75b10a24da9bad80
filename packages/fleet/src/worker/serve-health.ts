import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.ts';
import { checkedName, checkedOptions, checkedWhole } from '../fleet/input.ts';
import type { Worker } from './worker.ts';
import { workerMetricsText } from './worker-metrics.ts';

/** Address and content of the health server. */
export interface ServeHealthOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** `127.0.0.1` by default; `0.0.0.0` for a load balancer on another machine. */
  readonly host?: string | undefined;
  /** Adds the metrics of the whole fleet to `/metrics`; with `true`, over the connections of the worker. */
  readonly fleet?: Fleet | boolean | undefined;
}

/** An HTTP server that reports the health of a worker. */
export interface HealthServer extends AsyncDisposable {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/livez` (the process responds), `/readyz` (the worker claims turns and can write to the database; otherwise 503) and `/metrics` (Prometheus). None contains prompts or output. @throws FleetInputError */
export async function serveHealth(worker: Worker, options: ServeHealthOptions): Promise<HealthServer> {
  const { host = '127.0.0.1', fleet = false } = checkedOptions(options, OPTIONS);
  const port = checkedWhole('port', options.port, 0, 65_535);
  checkedName('host', host);
  const server = createServer((request, response) => {
    response.on('error', () => {}); // The client disconnected.
    answer(worker, fleet, request.url ?? '/').then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const close = (): Promise<void> => closed(server);
  // The address of a server that listens on a port is an object.
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

const OPTIONS: Readonly<Record<keyof ServeHealthOptions, true>> = { port: true, host: true, fleet: true };

async function answer(
  worker: Worker,
  fleet: Fleet | boolean,
  url: string,
): Promise<{ status: number; type: string; body: string }> {
  const json = 'application/json';
  switch (url.split('?')[0]) {
    case '/livez':
      return { status: 200, type: json, body: JSON.stringify(worker.health()) };
    case '/readyz': {
      const health = await worker.check();
      return { status: health.ready ? 200 : 503, type: json, body: JSON.stringify(health) };
    }
    case '/metrics': {
      const body =
        workerMetricsText(worker.health()) + (await fleetMetrics(fleet === true ? worker : fleet || undefined));
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body };
    }
    default:
      return { status: 404, type: json, body: '{}' };
  }
}

/** The metrics of the fleet; empty while the database does not answer, which the worker's metrics report. */
async function fleetMetrics(fleet: Pick<Fleet, 'metrics'> | undefined): Promise<string> {
  if (fleet === undefined) return '';
  const late = new AbortController();
  const numbers = fleet.metrics().catch(() => '');
  const timeout = delay(METRICS_MS, '', { signal: late.signal }).catch(() => '');
  const text = await Promise.race([numbers, timeout]);
  late.abort();
  return text;
}

/** Shorter than Prometheus's timeout of 10 s. */
const METRICS_MS = 5_000;

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
