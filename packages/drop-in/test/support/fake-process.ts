import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Options, SpawnedProcess, SpawnOptions } from '../../src/declarations/options.ts';
import { type Query, query, type SDKMessage, type SDKUserMessage } from '../../src/sdk.ts';

/** A frame written by the SDK. */
export interface Frame {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly [field: string]: unknown };
  readonly response?: {
    readonly request_id: string;
    readonly subtype: string;
    readonly response?: unknown;
    readonly error?: string;
  };
  readonly message?: { readonly content: unknown };
  readonly [field: string]: unknown;
}

type Answer = (request: NonNullable<Frame['request']>) => object | string | undefined;

/** An in-memory CLI for `spawnClaudeCodeProcess`. It answers every control request, and exits at EOF and when it is killed. */
export class FakeProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  /** How it answers control requests: a body, or a text for an error; silent for `undefined`. */
  readonly answers: Record<string, Answer> = { end_session: () => undefined };
  readonly frames: Frame[] = [];
  readonly signals: string[] = [];
  /** Events that do not end it. */
  readonly ignores: Set<string> = new Set();
  started: SpawnOptions | undefined;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  inputEnded = false;

  constructor() {
    super();
    const lines = createInterface({ input: this.stdin });
    lines.on('line', (line) => this.#take(JSON.parse(line)));
    lines.on('close', () => {
      this.inputEnded = true;
      this.emit('news');
      if (!this.ignores.has('EOF')) this.leave(0);
    });
  }

  kill(signal: NodeJS.Signals): boolean {
    this.killed = true;
    this.signals.push(signal);
    if (!this.ignores.has(signal)) this.leave(null, signal);
    return true;
  }

  say(...frames: readonly object[]): void {
    for (const frame of frames) this.stdout.write(`${JSON.stringify(frame)}\n`);
  }

  leave(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.exitCode !== null || this.signalCode !== null) return;
    this.exitCode = code;
    this.signalCode = signal;
    this.stdout.end();
    setImmediate(() => this.emit('exit', code, signal));
  }

  /** Waits for a matching frame of the SDK. */
  async got(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      await this.#news();
    }
  }

  /** The answer of the SDK to a request of the CLI. */
  async answered(id: string): Promise<NonNullable<Frame['response']>> {
    const { response } = await this.got((frame) => frame.response?.request_id === id);
    if (!response) throw new Error('no response');
    return response;
  }

  prompt(nth = 1): Promise<Frame> {
    return this.got(
      (frame) => frame.type === 'user' && this.frames.filter(({ type }) => type === 'user').indexOf(frame) === nth - 1,
    );
  }

  async closedInput(): Promise<void> {
    while (!this.inputEnded) await this.#news();
  }

  ask(id: string, subtype: string, request: object = {}): void {
    this.say({ type: 'control_request', request_id: id, request: { subtype, ...request } });
  }

  #take(frame: Frame): void {
    this.frames.push(frame);
    const { request, request_id } = frame;
    if (request && request_id !== undefined) {
      const answer = (this.answers[request.subtype] ?? (() => ({})))(request);
      const response =
        typeof answer === 'string'
          ? { subtype: 'error', request_id, error: answer }
          : { subtype: 'success', request_id, response: answer };
      if (answer !== undefined) this.say({ type: 'control_response', response });
      if (request.subtype === 'end_session' && answer !== undefined) this.leave(0);
    }
    this.emit('news');
  }

  async #news(): Promise<void> {
    const bound = AbortSignal.timeout(15_000);
    await new Promise<void>((resolve, reject) => {
      this.once('news', resolve);
      bound.addEventListener('abort', () =>
        reject(new Error(`It did not arrive, only ${JSON.stringify(this.frames)}`)),
      );
    });
  }
}

export interface Stage {
  readonly cli: FakeProcess;
  readonly query: Query;
}

/** A query on an in-memory CLI; both are closed at the end of the test. */
export function stage(
  prompt: string | AsyncIterable<SDKUserMessage> = 'Hello.',
  options: Options = {},
  cli: FakeProcess = new FakeProcess(),
): Stage {
  cli.answers.end_session = () => ({});
  const started = query({
    prompt,
    options: {
      pathToClaudeCodeExecutable: 'claude',
      env: {},
      spawnClaudeCodeProcess: (given) => {
        cli.started = given;
        return cli;
      },
      ...options,
    },
  });
  onTestFinished(() => {
    started.close();
    cli.leave(0);
  });
  return { cli, query: started };
}

/** An open prompt: `send` adds a message, `end` closes it, `fail` throws. */
export function openInput(...first: readonly string[]): {
  readonly stream: AsyncIterable<SDKUserMessage>;
  send(text: string): void;
  end(): void;
  fail(error: Error): void;
} {
  const events = new EventEmitter();
  const waiting: (SDKUserMessage | Error | 'end')[] = first.map(userMessage);
  const add = (item: SDKUserMessage | Error | 'end'): void => {
    waiting.push(item);
    events.emit('more');
  };
  async function* read(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const item = waiting.shift();
      if (item === 'end') return;
      if (item instanceof Error) throw item;
      if (item) yield item;
      else await new Promise((resolve) => events.once('more', resolve));
    }
  }
  return { stream: read(), send: (text) => add(userMessage(text)), end: () => add('end'), fail: add };
}

/** A generator that yields a prompt, waits for `next()` and yields again. `finished` resolves when its `finally` block runs. */
export function inputWithFinally(content: string): {
  readonly source: AsyncIterable<SDKUserMessage>;
  next(): void;
  readonly finished: Promise<void>;
} {
  let next: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (next = resolve));
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  async function* generate(): AsyncGenerator<SDKUserMessage> {
    try {
      yield userMessage(content);
      await waiting;
      yield userMessage('Not read.');
    } finally {
      finish();
    }
  }
  return { source: generate(), next: () => next(), finished };
}

function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

export const INIT = { type: 'system', subtype: 'init', session_id: 's', uuid: 'i' };
export const result = (more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Hi.',
  session_id: 's',
  uuid: 'r',
  ...more,
});
export const state = (now: 'idle' | 'running'): object => ({
  type: 'system',
  subtype: 'session_state_changed',
  state: now,
  sdk_host_only: true,
});

/** Reads a query to its end. */
export async function collect(messages: Query): Promise<{ types: string[]; thrown: unknown }> {
  const types: string[] = [];
  try {
    for (;;) {
      const next: IteratorResult<SDKMessage, void> = await messages.next();
      if (next.done) return { types, thrown: undefined };
      types.push(next.value.type);
    }
  } catch (thrown) {
    return { types, thrown };
  }
}
