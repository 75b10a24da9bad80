import { onTestFinished } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { RestartPolicy } from '../../src/restart/policy.ts';
import type { Session } from '../../src/session/session.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { type Answer, FakeCli } from '../support/fake-cli.ts';
import { waitUntil } from '../support/processes.ts';

/** A restarting session on in-memory CLIs, and its events. */
export interface Stage {
  readonly session: Session;
  /** The CLIs so far, one for each start. */
  readonly clis: readonly FakeCli[];
  readonly events: RunEvent[];
  readonly warnings: Warning[];
  /** The `nth` CLI, counted from 1; waits until it was started. */
  cli(nth: number): Promise<FakeCli>;
}

/** A policy without delays, so that tests are fast. */
export const AT_ONCE: RestartPolicy = { delayMs: 0, maxRestarts: 1_000 };

/** Opens a session; `make` may define the behaviour of the `nth` CLI. Everything is closed at the end of the test. */
export function open(
  options: AgentOptions = {},
  policy: RestartPolicy = AT_ONCE,
  make: (nth: number) => FakeCli = () => new FakeCli(),
): Stage {
  const clis: FakeCli[] = [];
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const session = openSession({
    transport: () => {
      const cli = make(clis.length + 1);
      clis.push(cli);
      return cli;
    },
    onEvent: (event) => void events.push(event),
    onWarning: (warning) => void warnings.push(warning),
    ...options,
    restart: policy,
  });
  onTestFinished(async () => {
    const stopped = session.close();
    for (const cli of clis) cli.die();
    await stopped;
  });
  return {
    session,
    clis,
    events,
    warnings,
    cli: (nth) => waitUntil(`CLI ${nth} was started`, () => clis[nth - 1]),
  };
}

/** Opens a session and waits until it is ready. */
export async function start(options?: AgentOptions, policy?: RestartPolicy): Promise<Stage & { cli1: FakeCli }> {
  const stage = open(options, policy);
  await stage.session.ready;
  return { ...stage, cli1: await stage.cli(1) };
}

/** A CLI that exits with this output instead of answering the handshake. */
export function refusing(words: string): FakeCli {
  const exit: Answer = (cli) => {
    cli.errorOutput.push(Buffer.from(`${words}\n`));
    cli.die(1);
  };
  return new FakeCli({ initialize: exit });
}

/** The value after a flag in the CLI's command line. */
export function flagOf(cli: FakeCli, flag: string): string | undefined {
  const argv = cli.request?.argv ?? [];
  const at = argv.indexOf(flag);
  return at === -1 ? undefined : argv[at + 1];
}

/** The types of the events, without those of every start. */
export function story(events: readonly RunEvent[]): string[] {
  return events
    .filter(({ type }) => !['request-sent', 'request-answered', 'stderr'].includes(type))
    .map((event) => (event.type === 'state-changed' ? `-> ${event.state}` : event.type));
}

/** All values of an iterable. */
export async function all<I>(iterable: AsyncIterable<I>): Promise<I[]> {
  const items: I[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}
