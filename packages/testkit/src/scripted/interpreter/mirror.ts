import { type JsonObject, type JsonValue, objectOf } from '../../json.ts';
import type { CliArguments } from '../arguments.ts';
import type { ScriptData } from '../script-data.ts';
import { transcriptPath } from './config-paths.ts';
import { isMarker } from './deferred-call.ts';
import type { World } from './effects.ts';

/** The run whose transcripts are mirrored. */
interface MirroredRun {
  readonly script: ScriptData;
  readonly world: World;
  readonly args: CliArguments;
  readonly sessionId: string;
  /** The entries of the resumed conversation. */
  readonly transcript: readonly JsonObject[];
  timestamp(): string;
}

interface Mirrored {
  readonly filePath: string;
  readonly entry: JsonObject;
}

/**
 * With `--session-mirror`: the CLI's transcript entries, as separate frames. They precede the next message of the conversation, if
 * they are not taken earlier, and always the result; a note without a uuid follows the result.
 */
export class TranscriptMirror {
  readonly #run: MirroredRun;
  #waiting: Mirrored[] = [];
  /** The last entry of each transcript. */
  readonly #leaves = new Map<string, string>();
  readonly #seen = new Set<JsonValue | undefined>();
  readonly #agents = new Set<string>();
  #lastPrompt = '';

  constructor(run: MirroredRun) {
    this.#run = run;
    const { args, transcript, sessionId } = run;
    const filePath = transcriptPath(run);
    for (const entry of transcript) {
      const { uuid } = entry;
      if (typeof uuid !== 'string') continue;
      this.#seen.add(uuid);
      // The result of a deferred call follows the call, not its marker.
      if (!isMarker(entry)) this.#leaves.set(filePath, uuid);
      // The CLI writes a complete copy for a fork.
      if (sessionId !== args.resume) this.#waiting.push({ filePath, entry: { ...entry, sessionId } });
    }
  }

  /** True if entries have not been mirrored yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The frames that precede a frame. */
  before({ type, message }: JsonObject): JsonObject[] {
    // The blocks of one message of the model are mirrored together.
    const last = objectOf(this.#waiting.at(-1)?.entry.message);
    if (type === 'assistant' && last?.id !== undefined && last.id === objectOf(message)?.id) return [];
    return type === 'assistant' || type === 'user' || type === 'result' ? this.take() : [];
  }

  /** Records the entries of a frame; returns the frames that follow it. */
  after(frame: JsonObject): JsonObject[] {
    if (frame.type === 'result') {
      const filePath = transcriptPath(this.#run);
      const { sessionId } = this.#run;
      const leafUuid = this.#leaves.get(filePath);
      if (leafUuid === undefined) return [];
      const entry = { type: 'last-prompt', lastPrompt: this.#lastPrompt, leafUuid, sessionId };
      this.#waiting.push({ filePath, entry });
      return this.take();
    }
    this.#note(frame);
    return [];
  }

  #note(frame: JsonObject): void {
    const { type, subtype, message, uuid, timestamp, agent_id: agent } = frame;
    const boundary = type === 'system' && subtype === 'compact_boundary';
    if ((type !== 'user' && type !== 'assistant' && !boundary) || typeof uuid !== 'string' || this.#seen.has(uuid))
      return;
    this.#seen.add(uuid);
    const main = transcriptPath(this.#run);
    const filePath = typeof agent === 'string' ? main.replace(/\.jsonl$/, `/subagents/agent-${agent}.jsonl`) : main;
    if (typeof agent === 'string' && !this.#agents.has(agent)) {
      this.#agents.add(agent);
      const { subagent_type: agentType = '', task_description: description = '' } = frame;
      const toolUseId = frame.parent_tool_use_id ?? '';
      this.#waiting.push({ filePath, entry: { type: 'agent_metadata', agentType, description, toolUseId } });
    }
    const content = message && typeof message === 'object' && 'content' in message ? message.content : undefined;
    if (frame.isReplay === true && typeof content === 'string') this.#lastPrompt = content;
    const parent = this.#leaves.get(filePath) ?? null;
    const fields = {
      ...(boundary && { logicalParentUuid: parent, subtype: 'compact_boundary', content: 'Conversation compacted' }),
      ...(boundary && { parentUuid: null }),
      ...(typeof agent === 'string' && { isSidechain: true, agentId: agent }),
      type,
      ...(message !== undefined && { message }),
      ...(frame.tool_use_result !== undefined && { toolUseResult: frame.tool_use_result }),
      ...(frame.isSynthetic === true && { isCompactSummary: true }),
      uuid,
      ...(timestamp !== undefined && { timestamp }),
    };
    this.add(fields, filePath);
  }

  /** Adds an entry at the end of a transcript. */
  add(fields: JsonObject & { readonly uuid: string }, filePath: string = transcriptPath(this.#run)): void {
    const { world, script, sessionId } = this.#run;
    const entry: JsonObject = {
      parentUuid: this.#leaves.get(filePath) ?? null,
      isSidechain: false,
      timestamp: this.#run.timestamp(),
      ...fields,
      userType: 'external',
      entrypoint: world.env.CLAUDE_CODE_ENTRYPOINT ?? 'sdk-cli',
      cwd: world.cwd,
      sessionId,
      version: script.cli.version,
      gitBranch: 'HEAD',
    };
    if (!isMarker(entry)) this.#leaves.set(filePath, fields.uuid);
    this.#waiting.push({ filePath, entry });
  }

  /** Combines consecutive entries of one transcript into one frame. */
  take(): JsonObject[] {
    const frames: { type: string; filePath: string; entries: JsonObject[] }[] = [];
    for (const { filePath, entry } of this.#waiting) {
      const last = frames.at(-1);
      if (last?.filePath === filePath) last.entries.push(entry);
      else frames.push({ type: 'transcript_mirror', filePath, entries: [entry] });
    }
    this.#waiting = [];
    return frames;
  }
}
