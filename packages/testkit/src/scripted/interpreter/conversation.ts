import type { JsonObject } from '../../json.ts';
import { type CliArguments, parseArguments } from '../arguments.ts';
import type { AnswerFault, Ignorable, ResultFault } from '../fault-data.ts';
import type { Rule, ScriptData, Step } from '../script-data.ts';
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
import { type Task, Tasks } from './tasks.ts';
import type { QueuedPrompt, Turn } from './turn.ts';

/** A background task that still runs. */
export interface BackgroundTask {
  readonly isAgent: boolean;
  readonly description: string;
  /** How lists describe it. */
  readonly listed: JsonObject;
  /** What every message about it contains. */
  readonly ids: JsonObject;
}

/** A background task that has ended and whose turn is due. */
export interface QueuedNotification {
  readonly origin: JsonObject;
  readonly steps: readonly Step[];
}

/** How the CLI misbehaves from now on. */
export interface Manners {
  readonly answers: Map<string, AnswerFault>;
  results: Extract<ResultFault, { fault: 'results' }> | undefined;
  /** Fields added to every message. */
  fields: JsonObject | undefined;
}

/** The state of one run of the scripted CLI. Effects collect in `effects` until the shell takes them. */
export class Conversation {
  readonly script: ScriptData;
  readonly world: World;
  readonly args: CliArguments;
  readonly effects: Effect[] = [];
  readonly tasks: Tasks = new Tasks(this.effects);
  readonly ignored: Set<Ignorable> = new Set();
  readonly manners: Manners = { answers: new Map(), results: undefined, fields: undefined };
  /** How often each moment has occurred, for the faults that wait for it. */
  readonly moments: Map<string, number> = new Map();
  readonly uses: Map<Rule, number> = new Map();

  sessionId: string;
  model: string;
  /** That of a session that was started without `--model`. */
  readonly usualModel: string;
  permissionMode: string;
  /** What the host has granted while the session runs. */
  readonly granted: GrantedPermissions = noGrants();
  hooks: readonly HookRegistration[] = [];
  readonly mcpServers: Map<string, McpServer> = new Map();
  /** The host's `initialize` request. */
  initialized: JsonObject | undefined;
  /** Requests to the host that are not answered yet. */
  readonly asked: Map<string, Request> = new Map();
  /** The files that each prompt's turn edited, by the prompt's uuid; includes those of an earlier run. */
  readonly checkpoints: Map<string, readonly string[]>;

  readonly prompts: QueuedPrompt[] = [];
  readonly notifications: QueuedNotification[] = [];
  readonly knownUuids: Set<string> = new Set();
  /** Background tasks that still run, by id. */
  readonly background: Map<string, BackgroundTask> = new Map();
  turn: Turn | undefined;
  turnTask: Task | undefined;
  /** Input from stdin that is not processed yet. */
  input = '';
  inputEnded = false;
  /** Whether reading of stdin has started. */
  started = false;
  settings: JsonObject = {};
  /** The session state last reported, if the host asked for reports. */
  state: SessionState | undefined;
  /** Set once the process is told to exit: nothing is written after that. */
  ended = false;

  /** Of the conversation: a process continues counting where the previous one exited cleanly. */
  totalCostUsd = 0;
  /** The part that earlier processes spent; a budget covers what this one spends. */
  carriedCostUsd = 0;
  totalApiMs = 0;
  readonly modelUsage: Map<string, Usage> = new Map();
  readonly usageSinceResult: Map<string, Usage> = new Map();
  /** Results that are not shown yet. */
  readonly heldResults: JsonObject[] = [];
  resultCount = 0;
  lastResultFailed = false;
  readonly #mirror: TranscriptMirror | undefined;
  #messages = 0;
  #lineOpen = false;

  constructor(script: ScriptData, world: World) {
    this.script = script;
    this.world = world;
    this.args = parseArguments(world.argv);
    this.usualModel = resolveModel(script.cli.model);
    this.model = resolveModel(this.args.model ?? 'default', this.usualModel);
    this.permissionMode = startingMode(this.args.permissionMode, world.settings);
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

  /** Writes a frame; `session_id` and `uuid` are filled in where they are missing. */
  emit(frame: JsonObject): void {
    this.write({ session_id: this.sessionId, uuid: this.world.newId(), ...frame });
  }

  /** Writes a frame unchanged. */
  write(frame: JsonObject): void {
    if (this.ended) return;
    const { outputFormat } = this.args;
    if (outputFormat === 'stream-json') {
      const whole = this.manners.fields === undefined ? frame : { ...frame, ...this.manners.fields };
      for (const mirrored of this.#mirror?.before(frame) ?? []) this.writeLine(JSON.stringify(mirrored));
      this.writeLine(JSON.stringify(whole));
      for (const mirrored of this.#mirror?.after(frame) ?? []) this.writeLine(JSON.stringify(mirrored));
    }
    if (outputFormat !== 'stream-json' && frame.type === 'result') {
      const text = outputFormat === 'json' ? JSON.stringify(frame) : String(frame.result ?? frame.errors);
      this.effects.push({ effect: 'write', text: `${text}\n` });
    }
  }

  /** Writes a line, or the line without its end, which then comes with the next. */
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

  /** Exits; effects before it are still carried out, none after it. */
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
