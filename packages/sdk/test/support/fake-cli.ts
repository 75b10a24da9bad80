import { onTestFinished } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { TransportError } from '../../src/errors/stream.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { TransportSignal } from '../../src/process/transport.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { MemoryTransport } from './memory-transport.ts';
import { assistant, INIT, result } from './say.ts';

/** A frame sent by the SDK. */
export interface Frame {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly [field: string]: unknown };
  readonly response?: { readonly request_id: string; readonly subtype: string; readonly response?: unknown };
  readonly uuid?: string;
  readonly message?: { readonly role: string; readonly content: unknown };
  readonly [field: string]: unknown;
}

/** Handles a control request in the CLI. */
export type Answer = (cli: FakeCli, id: string, request: NonNullable<Frame['request']>) => void;

export const silence: Answer = () => {};
export const success =
  (body?: object): Answer =>
  (cli, id) =>
    cli.succeed(id, body);
export const refusal =
  (error: string, code?: string): Answer =>
  (cli, id) =>
    cli.refuse(id, error, code);

const HANDSHAKE = { commands: [], models: [], agents: [], claude_code_version: PINNED_VERSION };

/**
 * An in-memory CLI with the session protocol. By default it answers the handshake, accepts every control request, and exits on
 * request, at EOF and at a signal; a test can change that and plays everything else.
 */
export class FakeCli extends MemoryTransport {
  readonly answers: Record<string, Answer>;
  /** Events that do not end it. */
  readonly ignores: Set<'EOF' | TransportSignal> = new Set();
  /** All actions of the SDK in order: frames, `EOF`, signals. */
  readonly log: (Frame | 'EOF' | TransportSignal)[] = [];
  /** Each write of the SDK, unchanged. */
  readonly lines: string[] = [];
  hasExited = false;
  readonly #waiters: (() => void)[] = [];

  constructor(answers: Record<string, Answer> = {}) {
    super();
    this.answers = {
      initialize: success(HANDSHAKE),
      end_session: (cli, id) => {
        cli.succeed(id);
        cli.die();
      },
      ...answers,
    };
  }

  override write(text: string): Promise<void> {
    if (this.hasExited || this.inputEnded) return Promise.reject(new TransportError("The CLI's stdin is closed."));
    this.lines.push(text);
    const frame: Frame = JSON.parse(text);
    this.#note(frame);
    if (frame.type === 'control_request' && frame.request && frame.request_id !== undefined) {
      const answer = this.answers[frame.request.subtype] ?? success();
      answer(this, frame.request_id, frame.request);
    }
    return Promise.resolve();
  }

  override async endInput(): Promise<void> {
    await super.endInput();
    this.#note('EOF');
    if (!this.ignores.has('EOF')) this.die();
  }

  override signal(signal: TransportSignal): void {
    this.signals.push(signal);
    this.#note(signal);
    if (!this.ignores.has(signal)) this.die(null, SIGNALS[signal]);
  }

  /** Ends the process and its pipes; earlier output can still be read. */
  die(exitCode: number | null = 0, signal: string | null = null): void {
    this.hasExited = true;
    this.output.end();
    this.errorOutput.end();
    this.exit(exitCode, signal);
  }

  /** The actions of the SDK as text: `set_model`, `prompt hello`, `answer h1`, `cancel req_2`, `EOF`, `terminate`. */
  get story(): string[] {
    return this.log.map(inWords);
  }

  /** The `nth` action of this kind; waits until it arrives. */
  async got(words: string, nth = 1): Promise<Frame> {
    for (;;) {
      const found = this.log.filter((entry) => inWords(entry) === words)[nth - 1];
      if (found !== undefined) return typeof found === 'string' ? { type: found } : found;
      await this.#next(words);
    }
  }

  succeed(id: string, body?: object): void {
    this.say({
      type: 'control_response',
      response: { subtype: 'success', request_id: id, ...(body && { response: body }) },
    });
  }

  refuse(id: string, error: string, code?: string): void {
    const response = { subtype: 'error', request_id: id, error, ...(code && { error_code: code }) };
    this.say({ type: 'control_response', response });
  }

  ask(id: string, subtype: string, request: object = {}): void {
    this.say({ type: 'control_request', request_id: id, request: { subtype, ...request } });
  }

  /** Asks the hook `callback` about an event. */
  askHook(id: string, event = 'PreToolUse', callback = 'hook_0', input: object = {}): void {
    const about = {
      hook_event_name: event,
      session_id: 's',
      transcript_path: '/t',
      cwd: '/',
      ...toolInput(event),
      ...input,
    };
    this.ask(id, 'hook_callback', { callback_id: callback, input: about, tool_use_id: `use-${id}` });
  }

  askPermission(id: string, toolName = 'Write', input: object = { file_path: '/f' }): void {
    this.ask(id, 'can_use_tool', { tool_name: toolName, input, tool_use_id: `use-${id}`, permission_suggestions: [] });
  }

  /** The SDK's answer to a request; waits until it arrives. */
  async answered(id: string): Promise<unknown> {
    return (await this.got(`answer ${id}`)).response?.response;
  }

  /** Starts the turn of a prompt, like 2.1.325. */
  begin({ uuid = '', message }: Frame): void {
    this.say(
      { type: 'command_lifecycle', command_uuid: uuid, state: 'started' },
      { ...INIT, user_message_uuids: [uuid] },
      { type: 'user', message, uuid, isReplay: true },
    );
  }

  /** Ends the turn of a prompt, like 2.1.325. */
  finish({ uuid = '' }: Frame, text = 'done', more: object = {}): void {
    this.say(result({ result: text, user_message_uuid: uuid, user_message_uuids: [uuid], ...more }));
  }

  /** Plays the whole turn of a prompt. */
  reply(prompt: Frame, text = 'done'): void {
    this.begin(prompt);
    this.say(assistant(text));
    this.finish(prompt, text);
  }

  #note(entry: Frame | 'EOF' | TransportSignal): void {
    this.log.push(entry);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async #next(words: string): Promise<void> {
    // Not with a fake clock: a test that times out reports what it waited for.
    const bound = AbortSignal.timeout(15_000);
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push(resolve);
      bound.addEventListener('abort', () => reject(new Error(`No "${words}" came, but ${this.story.join(', ')}`)));
    });
  }
}

/** A session on an in-memory CLI, and its events. */
export interface Stage {
  readonly session: Session;
  readonly cli: FakeCli;
  readonly events: RunEvent[];
  readonly warnings: Warning[];
}

/** Opens a session on a fake CLI; both are closed at the end of the test. */
export function open(cli: FakeCli, options: AgentOptions = {}): Stage {
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const session = openSession({
    transport: cli,
    onEvent: (event) => void events.push(event),
    onWarning: (warning) => void warnings.push(warning),
    ...options,
  });
  onTestFinished(async () => {
    cli.die();
    await session.close();
  });
  return { session, cli, events, warnings };
}

/** Opens a session and waits until it is ready. */
export async function start(options: AgentOptions = {}, cli: FakeCli = new FakeCli()): Promise<Stage> {
  const stage = open(cli, options);
  await stage.session.ready;
  return stage;
}

/** The SDK's id of the pending request with the CLI's id `id`. */
export function pendingId(from: Pick<Session, 'pendingPermissions'>, id: string): string {
  const found = from.pendingPermissions().find(({ toolUseId }) => toolUseId === `use-${id}`);
  if (found === undefined) throw new Error(`No permission request ${id} is pending.`);
  return found.id;
}

/** Runs everything that does not depend on time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const SIGNALS: Readonly<Record<TransportSignal, string>> = {
  interrupt: 'SIGINT',
  terminate: 'SIGTERM',
  kill: 'SIGKILL',
};

function inWords(entry: FakeCli['log'][number]): string {
  if (typeof entry === 'string') return entry;
  const { type, request, request_id, response, message } = entry;
  if (request) return request.subtype;
  if (response) return `answer ${response.request_id}`;
  if (type === 'control_cancel_request') return `cancel ${request_id}`;
  return `prompt ${typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content)}`;
}

function toolInput(event: string): object {
  return event.includes('Tool') ? { tool_name: 'Bash', tool_input: { command: 'ls' } } : {};
}
