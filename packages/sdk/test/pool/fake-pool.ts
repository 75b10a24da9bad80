import { onTestFinished } from 'vitest';
import { createPool } from '../../src/pool/create-pool.ts';
import type { PoolOptions } from '../../src/pool/options.ts';
import type { Pool } from '../../src/pool/pool.ts';
import type { PoolEvent } from '../../src/pool/pool-events.ts';
import { FakeCli, type Frame } from '../support/fake-cli.ts';

/** Handles a prompt in a fake CLI. */
export type PromptHandler = (cli: FakeCli, prompt: Frame, text: string) => void;

/** A CLI whose messages carry the session id it was started with. */
export class ConversationCli extends FakeCli {
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

/** Replies with the prompt. */
export const echo: PromptHandler = (cli, prompt, text) => cli.reply(prompt, `you said ${text}`);

/** Starts a turn for a prompt that begins with "hold" and does not end it; echoes all others. */
export const hold: PromptHandler = (cli, prompt, text) =>
  text.startsWith('hold') ? cli.begin(prompt) : echo(cli, prompt, text);

/** A pool with in-memory CLIs, and its events. */
export interface FakePool {
  readonly pool: Pool;
  /** All CLIs that were started, in order. */
  readonly clis: readonly FakeCli[];
  readonly events: PoolEvent[];
  /** The highest number of concurrent CLIs. */
  readonly mostProcesses: () => number;
  /** The nth event of this type; waits until it is emitted. */
  waitFor<T extends PoolEvent['type']>(type: T, nth?: number): Promise<Extract<PoolEvent, { type: T }>>;
  /** The events so far, each as its type and its job or slot. */
  readonly eventLog: () => string[];
}

/** Creates a pool, which is closed at the end of the test. */
export function fakePool(
  options: Partial<PoolOptions> = {},
  onPrompt: PromptHandler = echo,
  newCli?: () => FakeCli,
): FakePool {
  const events: PoolEvent[] = [];
  const waiting: (() => void)[] = [];
  const { clis, transport, mostProcesses } = fakeClis(onPrompt, newCli);
  const pool = createPool({
    size: 2,
    ...options,
    // No CLI in memory ends a held turn when it is interrupted, so the pool kills it soon.
    defaults: { transport, limits: { interruptTimeoutMs: 50 }, ...options.defaults },
    onEvent: (event) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
      return options.onEvent?.(event);
    },
  });
  onTestFinished(() => pool.close());
  return {
    pool,
    clis,
    events,
    mostProcesses,
    async waitFor(type, nth = 1) {
      for (;;) {
        const found = events.filter((event) => event.type === type)[nth - 1];
        // The filter only leaves events of this type.
        if (found) return found as never;
        await within5s(new Promise<void>((resolve) => waiting.push(resolve)), () => `${type} in ${logOf(events)}`);
      }
    },
    eventLog: () => logOf(events),
  };
}

/** A transport factory that keeps the CLIs it creates. */
export function fakeClis(
  onPrompt: PromptHandler = echo,
  newCli: () => FakeCli = () => new ConversationCli(),
): { readonly clis: FakeCli[]; readonly transport: () => FakeCli; readonly mostProcesses: () => number } {
  const clis: FakeCli[] = [];
  let most = 0;
  const transport = (): FakeCli => {
    const cli = newCli();
    clis.push(cli);
    most = Math.max(most, clis.filter(({ hasExited }) => !hasExited).length);
    answerPrompts(cli, onPrompt);
    return cli;
  };
  return { clis, transport, mostProcesses: () => most };
}

/** The session id that a CLI was asked to resume. */
export function resumedBy(cli: FakeCli | undefined): string | undefined {
  const argv = cli?.request?.argv ?? [];
  const at = argv.indexOf('--resume');
  return at === -1 ? undefined : argv[at + 1];
}

/** The prompts a CLI has received. */
export function promptsOf(cli: FakeCli | undefined): string[] {
  return (cli?.story ?? []).filter((words) => words.startsWith('prompt ')).map((words) => words.slice(7));
}

function answerPrompts(cli: FakeCli, onPrompt: PromptHandler): void {
  const write = cli.write.bind(cli);
  cli.write = async (text) => {
    await write(text);
    const frame: Frame = JSON.parse(text);
    if (frame.type === 'user') onPrompt(cli, frame, String(frame.message?.content));
  };
}

function logOf(events: readonly PoolEvent[]): string[] {
  return events.map((event) => {
    const subject = 'job' in event ? event.job : 'slot' in event ? event.slot : '';
    return `${event.type} ${subject}`.trim();
  });
}

async function within5s(promise: Promise<void>, what: () => string): Promise<void> {
  // AbortSignal.timeout ignores fake timers.
  const timeout = AbortSignal.timeout(15_000);
  await new Promise<void>((resolve, reject) => {
    void promise.then(resolve);
    timeout.addEventListener('abort', () => reject(new Error(`Timed out waiting for ${what()}`)));
  });
}
