// The cost of observers and @coxswain/opentelemetry: 100,000 messages and 5,000 hooks in a session, without, with an observer that
// does nothing, and with spans and metrics. The exporters drop everything, so that only the adapter and the OpenTelemetry
// SDK are measured.
import { telemetry } from '@coxswain/opentelemetry';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { coxswain } from '../contenders/index.mjs';
import { paired, timed } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';
import { stubCli } from '../stub.mjs';

const dropping = { export: (_, done) => done({ code: 0 }), shutdown: async () => {} };
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(dropping)] });
const OBSERVERS = {
  session: undefined,
  again: undefined,
  observed: [{ opened: () => ({ prompt: ignore, message: ignore, event: ignore, turnEnded: ignore }) }],
  traced: [telemetry({ tracerProvider, meterProvider: new MeterProvider() })],
};

export async function run() {
  const messages = scaled(100_000);
  const hooks = scaled(5_000);
  return [
    await measured('telemetry-messages', `${shown(messages)} messages of 1 KB in a session, observed`, (observers) => {
      const env = { STUB_MESSAGES: String(messages), STUB_BYTES: '1024' };
      return timed((each) => coxswain.session({ cli: stubCli(), env, observers }, each), messages);
    }),
    await measured('telemetry-hooks', `${shown(hooks)} hooks in a session, observed`, async (observers) => {
      let asked = 0;
      const env = { STUB_HOOKS: String(hooks) };
      const job = { cli: stubCli(), env, observers, asked: () => asked++ };
      const began = performance.now();
      await coxswain.session(job, ignore);
      if (asked !== hooks) throw new Error(`${asked} instead of ${hooks}`);
      return { ms: performance.now() - began };
    }),
  ];
}

/** The first contender is the session without an observer, so that is what the ratios compare with. */
async function measured(id, title, play) {
  const contenders = Object.entries(OBSERVERS).map(([name, observers]) => [name, () => play(observers)]);
  const section = await paired(id, title, Object.fromEntries(contenders));
  const rows = section.rows.map(({ ratio, cpuRatio, ...row }) => ({ ...row, ofPlain: ratio, cpuOfPlain: cpuRatio }));
  return { ...section, rows };
}

function ignore() {}
