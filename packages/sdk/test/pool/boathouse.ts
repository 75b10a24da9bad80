import { onTestFinished } from 'vitest';
import { createPool } from '../../src/pool/create-pool.ts';
import type { PoolEvent } from '../../src/pool/events.ts';
import type { PoolOptions } from '../../src/pool/options.ts';
import type { Pool } from '../../src/pool/pool.ts';
import { FakeCli, type Frame } from '../support/fake-cli.ts';

/** What a CLI does with a prompt. */
export type Conduct = (cli: FakeCli, prompt: Frame, text: string) => void;

/** A CLI that knows which conversation it has. */
export class Rower extends FakeCli {
  get conversation(): string | undefined {
    const argv = this.request?.argv ?? [];
    const at = Math.max(argv.indexOf('--resume'), argv.indexOf('--session-id'));
    return at === -1 ? undefined : argv[at + 1];
  }

  override say(...messages: readonly object[]): void {
    const session_id = this.conversation;
    super.say(...messages.map((message) => ('session_id' in message ? { ...message, session_id } : message)));
  }
}

/** Says the prompt back. */
export const echo: Conduct = (cli, prompt, text) => cli.reply(prompt, `you said ${text}`);

/** A pool whose CLIs live in memory, and everything that happens in it. */
export interface Boathouse {
  readonly pool: Pool;
  /** All CLIs there ever were, in the order they were started. */
  readonly clis: readonly FakeCli[];
  readonly events: PoolEvent[];
  /** The most that lived at once. */
  readonly most: () => number;
  /** The first event of this type from the `nth` on; waits until it comes. */
  happened<T extends PoolEvent['type']>(type: T, nth?: number): Promise<Extract<PoolEvent, { type: T }>>;
  /** What happened, in words. */
  readonly story: () => string[];
}

/** Opens a pool; it is stopped at the end of the test. */
export function boathouse(
  options: Partial<PoolOptions> = {},
  conduct: Conduct = echo,
  make?: () => FakeCli,
): Boathouse {
  const events: PoolEvent[] = [];
  const waiters: (() => void)[] = [];
  const { clis, transport, most } = stock(conduct, make);
  const pool = createPool({
    size: 2,
    ...options,
    defaults: { transport, ...options.defaults },
    onEvent: (event) => {
      events.push(event);
      for (const wake of waiters.splice(0)) wake();
      return options.onEvent?.(event);
    },
  });
  onTestFinished(() => pool.close());
  return {
    pool,
    clis,
    events,
    most,
    async happened(type, nth = 1) {
      for (;;) {
        const found = events.filter((event) => event.type === type)[nth - 1];
        // The filter leaves events of this type only.
        if (found) return found as never;
        await within5s(new Promise<void>((resolve) => waiters.push(resolve)), () => `${type} in ${told(events)}`);
      }
    },
    story: () => told(events),
  };
}

/** Makes CLIs for sessions, and keeps them for the test. */
export function stock(
  conduct: Conduct = echo,
  make: () => FakeCli = () => new Rower(),
): { readonly clis: FakeCli[]; readonly transport: () => FakeCli; readonly most: () => number } {
  const clis: FakeCli[] = [];
  let most = 0;
  const transport = (): FakeCli => {
    const cli = make();
    clis.push(cli);
    most = Math.max(most, clis.filter(({ gone }) => !gone).length);
    answerPrompts(cli, conduct);
    return cli;
  };
  return { clis, transport, most: () => most };
}

/** Which conversation a CLI was told to take up, if any. */
export function resumedBy(cli: FakeCli | undefined): string | undefined {
  const argv = cli?.request?.argv ?? [];
  const at = argv.indexOf('--resume');
  return at === -1 ? undefined : argv[at + 1];
}

/** What prompts a CLI got. */
export function promptsOf(cli: FakeCli | undefined): string[] {
  return (cli?.story ?? []).filter((words) => words.startsWith('prompt ')).map((words) => words.slice(7));
}

function answerPrompts(cli: FakeCli, conduct: Conduct): void {
  const write = cli.write.bind(cli);
  cli.write = async (text) => {
    await write(text);
    const frame: Frame = JSON.parse(text);
    if (frame.type === 'user') conduct(cli, frame, String(frame.message?.content));
  };
}

function told(events: readonly PoolEvent[]): string[] {
  return events.map((event) => {
    const who = 'job' in event ? event.job : 'slot' in event ? event.slot : '';
    return `${event.type} ${who}`.trim();
  });
}

async function within5s(promise: Promise<void>, what: () => string): Promise<void> {
  // Not under a fake clock.
  const bound = AbortSignal.timeout(5_000);
  await new Promise<void>((resolve, reject) => {
    void promise.then(resolve);
    bound.addEventListener('abort', () => reject(new Error(`Waited in vain for ${what()}`)));
  });
}
