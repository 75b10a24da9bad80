import { type JsonObject, objectOf } from '../../json.ts';
import { type CliArguments, parseArguments } from '../arguments.ts';
import type { AnswerFault, Ignorable, ResultFault } from '../fault-data.ts';
import type { Rule, ScriptData, Step } from '../script-data.ts';
import { DEFERRED } from './deferred-call.ts';
import { earlierCheckpoints, earlierCosts, givenSessionId, rememberCosts } from './earlier-session.ts';
import type { Effect, RunEntry, World } from './effects.ts';
import type { Usage } from './frames/usage.ts';
import { type GrantedPermissions, noGrants } from './granted-permissions.ts';
import type { HookRegistration } from './hook-registration.ts';
import type { Request } from './host-request.ts';
import type { McpServer } from './mcp-server.ts';
import { TranscriptMirror } from './mirror.ts';
import { resolveModel } from './models.ts';
import { startingMode } from './permission-mode.ts';
import type { SessionState } from './session-state.ts';
import { type Program, sleep, type Task, Tasks } from './tasks.ts';
import type { QueuedPrompt, Turn } from './turn.ts';

/** A background task that still runs. */
export interface BackgroundTask {
  readonly isAgent: boolean;
  readonly description: string;
  /** Its entry in lists. */
  readonly listed: JsonObject;
  /** The fields of every message about it. */
  readonly ids: JsonObject;
}

/** An ended background task whose turn is due. */
export interface QueuedNotification {
  readonly origin: JsonObject;
  readonly steps: readonly Step[];
}

/** The current misbehaviour of the CLI. */
export interface Misbehaviour {
  readonly answers: Map<string, AnswerFault>;
  results: Extract<ResultFault, { fault: 'results' }> | undefined;
  /** Fields added to every message. */
  fields: JsonObject | undefined;
}

/** The state of one run of the scripted CLI. Effects are collected in `effects` until the shell takes them. */
export class Conversation {
  readonly script: ScriptData;
  readonly world: World;
  readonly args: CliArguments;
  readonly effects: Effect[] = [];
  readonly tasks: Tasks = new Tasks(this.effects);
  readonly ignored: Set<Ignorable> = new Set();
  readonly misbehaviour: Misbehaviour = { answers: new Map(), results: undefined, fields: undefined };
  /** Number of occurrences of each moment, for the faults that wait for it. */
  readonly moments: Map<string, number> = new Map();
  readonly uses: Map<Rule, number> = new Map();
  /** The entries of the resumed conversation, if it is on disk. */
  readonly transcript: readonly JsonObject[];

  sessionId: string;
  model: string;
  /** The model of a session without `--model`. */
  readonly usualModel: string;
  permissionMode: string;
  /** The permissions that the host has granted during the session. */
  readonly granted: GrantedPermissions = noGrants();
  hooks: readonly HookRegistration[] = [];
  readonly mcpServers: Map<string, McpServer> = new Map();
  /** The host's `initialize` request. */
  initialized: JsonObject | undefined;
  /** Unanswered requests to the host. */
  readonly asked: Map<string, Request> = new Map();
  /** The files edited by each prompt's turn, by the prompt's uuid; includes those of an earlier run. */
  readonly checkpoints: Map<string, readonly string[]>;

  readonly prompts: QueuedPrompt[] = [];
  readonly notifications: QueuedNotification[] = [];
  readonly knownUuids: Set<string> = new Set();
  /** Background tasks that still run, by id. */
  readonly background: Map<string, BackgroundTask> = new Map();
  turn: Turn | undefined;
  turnTask: Task | undefined;
  /** Unprocessed input from stdin. */
  input = '';
  inputEnded = false;
  /** True once reading of stdin has started. */
  started = false;
  settings: JsonObject = {};
  /** The last reported session state, if the host requested reports. */
  state: SessionState | undefined;
  /** Set once the process is asked to exit: nothing is written after that. */
  ended = false;

  /** Total of the conversation: a process continues counting where the previous one exited cleanly. */
  totalCostUsd = 0;
  /** The part spent by earlier processes; a budget covers only this process. */
  carriedCostUsd = 0;
  totalApiMs = 0;
  readonly modelUsage: Map<string, Usage> = new Map();
  readonly usageSinceResult: Map<string, Usage> = new Map();
  /** Results that are not written yet. */
  readonly heldResults: JsonObject[] = [];
  resultCount = 0;
  lastResultFailed = false;
  readonly #mirror: TranscriptMirror | undefined;
  #mirroring: Task | undefined;
  #messages: number;
  #lineOpen = false;

  constructor(script: ScriptData, world: World) {
    this.script = script;
    this.world = world;
    this.args = parseArguments(world.argv);
    this.usualModel = resolveModel(script.cli.model);
    this.model = resolveModel(this.args.model ?? 'default', this.usualModel);
    this.permissionMode = startingMode(this.args.permissionMode, world.settings);
    this.transcript = this.args.resume === undefined ? [] : world.sessions.transcript(this.args.resume);
    this.#messages = lastMessage(this.transcript);
    this.sessionId = givenSessionId(this) ?? world.newId();
    this.checkpoints = new Map(Object.entries(earlierCheckpoints(this)));
    for (const [model, usage] of Object.entries(earlierCosts(this))) {
      this.modelUsage.set(model, usage);
      this.carriedCostUsd += usage.costUsd;
    }
    this.totalCostUsd = this.carriedCostUsd;
    const mirrors = this.args.flags.has('--session-mirror') && !this.args.flags.has('--no-session-persistence');
    this.#mirror = mirrors ? new TranscriptMirror(this) : undefined;
  }

  /** Writes a frame; adds missing `session_id` and `uuid`. */
  emit(frame: JsonObject): void {
    this.write({ session_id: this.sessionId, uuid: this.world.newId(), ...frame });
  }

  /** Writes a frame unchanged. */
  write(frame: JsonObject): void {
    if (this.ended) return;
    const { outputFormat } = this.args;
    if (outputFormat === 'stream-json') {
      const whole = this.misbehaviour.fields === undefined ? frame : { ...frame, ...this.misbehaviour.fields };
      this.#writeLines(this.#mirror?.before(frame));
      this.writeLine(JSON.stringify(whole));
      this.#writeLines(this.#mirror?.after(frame));
      this.#mirrorSoon();
    }
    if (outputFormat !== 'stream-json' && frame.type === 'result') {
      const text = outputFormat === 'json' ? JSON.stringify(frame) : String(frame.result ?? frame.errors);
      this.effects.push({ effect: 'write', text: `${text}\n` });
    }
  }

  /** Adds an entry to the transcript that is not written as a message. */
  noteEntry(entry: JsonObject & { readonly type: string; readonly uuid: string }): void {
    this.#mirror?.add(entry);
    this.#mirrorSoon();
  }

  /** Marks a call as deferred in the transcript. */
  noteDeferred({ id, name, input }: JsonObject): void {
    const call = { toolUseID: id, toolName: name, toolInput: input };
    const by = { hookName: 'settings', hookEvent: 'PreToolUse', permissionMode: this.permissionMode };
    const attachment = { type: DEFERRED, ...call, ...by };
    this.noteEntry({ type: 'attachment', uuid: this.world.newId(), attachment });
  }

  #writeLines(frames: readonly JsonObject[] = []): void {
    for (const frame of frames) this.writeLine(JSON.stringify(frame));
  }

  /** The CLI mirrors entries a moment after they were added: the call of a permission request after the request. */
  #mirrorSoon(): void {
    if (!this.#mirror?.isWaiting) return;
    if (this.#mirroring) this.tasks.interrupt(this.#mirroring);
    this.#mirroring = this.tasks.start(this.#mirrorLater(this.#mirror));
  }

  *#mirrorLater(mirror: TranscriptMirror): Program {
    yield* sleep(MIRROR_DELAY_MS);
    this.#writeLines(mirror.take());
  }

  /** Writes a line, or the line without its end, which then precedes the next. */
  writeLine(line: string, end: '\n' | '' = '\n'): void {
    const late = this.#lineOpen ? '\n' : '';
    this.#lineOpen = end === '';
    this.effects.push({ effect: 'write', text: late + line + end });
  }

  stderr(text: string): void {
    this.effects.push({ effect: 'stderr', text: `${text}\n` });
  }

  record(entry: RunEntry): void {
    this.effects.push({ effect: 'record', entry });
  }

  /** Exits; earlier effects are still executed, later ones are not. */
  exit(code: number, { orderly = true }: { readonly orderly?: boolean } = {}): void {
    if (this.ended) return;
    if (orderly) rememberCosts(this);
    this.effects.push({ effect: 'exit', code });
    this.ended = true;
  }

  /** The number of the next API message. */
  nextMessage(): string {
    this.#messages += 1;
    return String(this.#messages).padStart(4, '0');
  }

  now(): number {
    return this.world.now();
  }

  timestamp(): string {
    return new Date(this.now()).toISOString();
  }
}

/** The real CLI takes 20 to 150 ms. */
const MIRROR_DELAY_MS = 5;

/** The number of the last API message of an earlier run: ids are unique in a conversation. */
function lastMessage(transcript: readonly JsonObject[]): number {
  const numbers = transcript.map(({ message }) =>
    Number(/^msg_scripted(\d+)$/.exec(String(objectOf(message)?.id))?.[1]),
  );
  return numbers.reduce((last, number) => (number > last ? number : last), 0);
}
