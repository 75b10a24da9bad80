/** An agent as a service: HTTP, server-sent events, approvals, budgets, restarts, traces. See docs/guides/service.md. */
import { instrument } from '@coxswain/opentelemetry';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createClient } from 'coxswain';
import { terminal, toWebhook } from './announce.ts';
import type { Waiting } from './approvals.ts';
import { Service } from './service.ts';

// #region main
const { STAFF_TOKEN, CUSTOMERS, FOLDER = 'data', WORKSPACE, PORT = '8080', WEBHOOK } = process.env;
if (!STAFF_TOKEN || !CUSTOMERS) throw new Error('Set STAFF_TOKEN, and CUSTOMERS={"<token>":"ann"}.');

const tracing = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
tracing.register();
const client = createClient({
  cli: process.env.COXSWAIN_CLI ?? 'auto',
  cwd: WORKSPACE,
  settingSources: [], // what an agent may do is written here, not in files of the machine
  inheritEnv: ['PATH', 'HOME', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'], // not the tokens above
});
const stopTracing = instrument(client);

const informed: ((waiting: Waiting) => void)[] = [];
const service = new Service({
  client,
  folder: FOLDER,
  customers: JSON.parse(CUSTOMERS),
  staffToken: STAFF_TOKEN,
  usdPerDay: 5,
  announce: (waiting) => {
    for (const inform of informed) inform(waiting);
  },
});
if (WEBHOOK) informed.push(toWebhook(WEBHOOK));
if (process.stdin.isTTY) informed.push(terminal((hash, answer) => service.answer(hash, answer)));
console.log(`http://127.0.0.1:${await service.listen(Number(PORT))}/page`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await service.close(20_000); // less than the orchestrator waits before SIGKILL
    stopTracing();
    await tracing.shutdown().catch(console.error); // a collector that is down must not fail the shutdown
    process.exit(0);
  });
// #endregion
