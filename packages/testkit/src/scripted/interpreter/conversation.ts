import { type CliArguments, parseArguments } from '../arguments.ts';
import type { Ignorable, JsonObject, Rule, ScriptData, Step } from '../script-data.ts';
import type { Effect, RunEntry, World } from './effects.ts';
import type { Usage } from './frames/usage.ts';
import type { HookRegistration } from './hooks.ts';
import type { McpServer } from './mcp.ts';
import { resolveModel } from './models.ts';
import type { Request } from './requests.ts';
import { type Task, Tasks } from './tasks.ts';
import type { Turn } from './turn.ts';

/** A prompt that waits for its turn. */
export interface QueuedPrompt {
  readonly uuid: string | undefined;
  readonly content: string | readonly JsonObject[];
  readonly text: string;
  readonly timestamp: string;
}

/** A background task that ended and wants a turn of its own. */
export interface QueuedNotification {
  readonly origin: JsonObject;
  readonly steps: readonly Step[];
}

/** Everything one run of the scripted CLI knows. Effects pile up in `effects` until the shell takes them. */
export class Conversation {
  readonly script: ScriptData;
  readonly world: World;
  readonly args: CliArguments;
  readonly effects: Effect[] = [];
  readonly tasks: Tasks = new Tasks(this.effects);
  readonly ignored: Set<Ignorable>;
  readonly uses: Map<Rule, number> = new Map();

  sessionId: string;
  model: string;
  permissionMode: string;
  /** Rules granted while the session runs. */
  readonly grantedTools: string[] = [];
  hooks: readonly HookRegistration[] = [];
  readonly mcpServers: Map<string, McpServer> = new Map();
  /** The host's `initialize` request. */
  initialized: JsonObject | undefined;
  /** Requests to the host that are not answered yet. */
  readonly asked: Map<string, Request> = new Map();
  /** The files each prompt's turn edited, by the prompt's uuid. */
  readonly edits: Map<string, Set<string>> = new Map();

  readonly prompts: QueuedPrompt[] = [];
  readonly notifications: QueuedNotification[] = [];
  readonly knownUuids: Set<string> = new Set();
  /** Background tasks that still run, by id. */
  readonly background: Map<string, JsonObject> = new Map();
  turn: Turn | undefined;
  turnTask: Task | undefined;
  /** What came over stdin and is not taken yet. */
  input = '';
  inputEnded = false;
  /** Whether stdin is read already. */
  started = false;
  settings: JsonObject = {};
  /** What the host was last told about the session, where it asked to be told. */
  state: 'running' | 'idle' | undefined;
  /** Set once the process is told to leave: nothing is written any more. */
  ended = false;

  totalCostUsd = 0;
  totalApiMs = 0;
  readonly modelUsage: Map<string, Usage> = new Map();
  readonly usageSinceResult: Map<string, Usage> = new Map();
  resultCount = 0;
  lastResultFailed = false;
  #messages = 0;

  constructor(script: ScriptData, world: World) {
    this.script = script;
    this.world = world;
    this.args = parseArguments(world.argv);
    this.ignored = new Set(script.cli.ignores);
    this.model = resolveModel(this.args.model ?? script.cli.model);
    this.permissionMode = this.args.permissionMode;
    const { sessionId, resume, flags } = this.args;
    const resumed = flags.has('--fork-session') ? undefined : resume;
    this.sessionId = sessionId ?? resumed ?? world.newId();
  }

  /** Writes a frame; `session_id` and `uuid` are filled in where they are missing. */
  emit(frame: JsonObject): void {
    this.write({ session_id: this.sessionId, uuid: this.world.newId(), ...frame });
  }

  /** Writes a frame as it stands. */
  write(frame: JsonObject): void {
    if (this.ended) return;
    const { outputFormat } = this.args;
    if (outputFormat === 'stream-json') this.effects.push({ effect: 'write', text: `${JSON.stringify(frame)}\n` });
    else if (frame.type === 'result') {
      const text = outputFormat === 'json' ? JSON.stringify(frame) : String(frame.result ?? frame.errors);
      this.effects.push({ effect: 'write', text: `${text}\n` });
    }
  }

  stderr(text: string): void {
    this.effects.push({ effect: 'stderr', text: `${text}\n` });
  }

  record(entry: RunEntry): void {
    this.effects.push({ effect: 'record', entry });
  }

  /** Leaves; effects before it are still carried out, nothing after it. */
  exit(code: number): void {
    if (this.ended) return;
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
