import { readFile } from 'node:fs/promises';
import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import type { Replay } from '@coxswain/testkit';
import { type AgentOptions, allow } from 'coxswain';
import type { Transport } from 'coxswain/transport';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { openConversation } from '../run/open.ts';
import type { OutputFlags } from '../run/output-flags.ts';
import { paintFor, type Terminal } from '../terminal/terminal.ts';
import { playQuery } from './play-query.ts';
import { isPrompt, type RecordedConversation, readCassette } from './read-cassette.ts';

/** The flags of `cox replay`. */
export interface ReplayFlags extends OutputFlags {
  /** Plays at the recorded speed, not at full speed. */
  readonly recordedPace?: boolean;
}

/** `cox replay`: plays a recorded conversation, prompts included, without a CLI. */
export async function replay(file: string, flags: ReplayFlags, terminal: Terminal): Promise<ExitCode> {
  const runs = readCassette(await textIn(file));
  if (runs.length === 0) throw new UsageError(`${file} is not a recording; make one with cox record.`);
  const { replaying } = await import('@coxswain/testkit');
  const tape = replaying(file, { match: 'loose', timing: flags.recordedPace ? 'recorded' : 'none', waitMs: 8_000 });
  let exitCode: ExitCode = EXIT.ok;
  for (const run of runs) exitCode = await playRun(run, tape, flags, terminal);
  return exitCode;
}

async function playRun(
  run: RecordedConversation,
  tape: Replay,
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const paint = paintFor(terminal.stderr, terminal.env, flags.color);
  // The recording has the answer; what is answered now decides nothing.
  let prompts = 0;
  const next = (): void => {
    prompts += 1;
    request(prompts);
  };
  const transport = (): Transport => withEachPrompt(tape(), next);
  const extra: AgentOptions = { transport, ...(run.asks ? { canUseTool: () => allow() } : {}) };
  const open = { terminal, command: 'run', extra, watchesCost: false, isPast: true } as const;
  if (run.mode === 'query') return await playQuery(run.prompts.join(''), flags, open);
  await using conversation = await openConversation({ ...flags, input: false }, open);
  const { session } = conversation;
  let exitCode: ExitCode = EXIT.ok;
  if (run.requests.some(({ after }) => after === 0)) await session.ready.then(() => request(0), ignored);
  for (const prompt of run.prompts) {
    if (!flags.json && !flags.quiet) terminal.stderr.write(`${paint.bold(`› ${prompt.split('\n', 1)[0]}`)}\n`);
    exitCode = await conversation.play(prompt);
  }
  return exitCode;

  /** Makes the requests that follow a prompt. The recording decides when each is answered, so that none is awaited. */
  function request(after: number): void {
    for (const { subtype, payload } of run.requests.filter((each) => each.after === after)) {
      // A recording may be as slow as the conversation was.
      void session.request(subtype, payload, { timeoutMs: LONGEST_TIMER_MS }).catch(ignored);
    }
  }
}

/** Calls `sent` as soon as a prompt is written: the requests that follow it in the recording must follow it now. */
function withEachPrompt(transport: Transport, sent: () => void): Transport {
  const write = transport.write.bind(transport);
  transport.write = async (text) => {
    await write(text);
    if (isPrompt(text)) sent();
  };
  return transport;
}

/** The turn reports why a session did not start, and why it ended. */
function ignored(): void {}

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
