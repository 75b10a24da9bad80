import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { script, scriptedCli } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { runFile } from './run-file.ts';

it('[V-1] the set-up of the guide sends spans and metrics to an OTLP endpoint', async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received.push(request.url ?? '');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  try {
    await using cli = await scriptedCli(script().otherwise((turn) => turn.say('Yes.')));
    const file = new URL('../guides/opentelemetry.ts', import.meta.url);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const lines = await runFile(file, cli.path, [], 14_000, endpoint);
    expect(lines).toEqual(['Yes.', 'Yes.', 'the worker runs the turn here']);
    expect(new Set(received)).toEqual(new Set(['/v1/traces', '/v1/metrics']));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
