import { isObject } from '@coxswain/shared/is-object';
import { FileSeeds } from './file-seeds.ts';
import { isCallId } from './is-call-id.ts';
import { resultIn } from './result-outcome.ts';
import type { Gap, ModelReply, PromptBlock, RecordedResult, ReplyBlock, Scenario, ScenarioAgent } from './scenario.ts';

/** One line of a transcript; its fields are checked where they are read. */
export type Entry = Readonly<Record<string, unknown>>;

/** Builds a scenario from the entries of a conversation and of its subagents. */
export function fromEntries(
  name: string,
  main: readonly Entry[],
  agents: readonly (readonly Entry[])[] = [],
): Scenario {
  const reader = new EntryReader();
  const turns = reader.conversation(main);
  const subagents = agents.flatMap((entries): ScenarioAgent[] => {
    const [first, ...later] = reader.conversation(entries);
    if (first === undefined) return [];
    return [
      { prompt: promptText(first.prompt), replies: [...first.replies, ...later.flatMap(({ replies }) => replies)] },
    ];
  });
  const cwd = firstText(main, 'cwd');
  const release = firstText(main, 'version');
  const home = cwd === undefined ? undefined : /^(\/root|\/(?:home|Users)\/[^/]+)(?=\/|$)/.exec(cwd)?.[1];
  return {
    format: 1,
    name,
    ...(release === undefined ? {} : { release }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(home === undefined ? {} : { home }),
    turns,
    agents: subagents,
    results: reader.results,
    files: reader.seeds.files,
    gaps: reader.gaps,
  };
}

/** The text of a prompt. */
export function promptText(prompt: readonly PromptBlock[]): string {
  return prompt.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');
}

interface OpenTurn {
  readonly prompt: readonly PromptBlock[];
  readonly replies: ReplyBlock[][];
}

class EntryReader {
  readonly results: Record<string, RecordedResult> = {};
  readonly seeds: FileSeeds = new FileSeeds();
  readonly gaps: Gap[] = [];
  /** New ids for the recorded ones: a transcript may repeat an id, or contain one that the API would not accept. */
  readonly #ids = new Map<string, string>();
  /** The tool of each call, by its new id. */
  readonly #tools = new Map<string, string>();

  conversation(entries: readonly Entry[]): { prompt: readonly PromptBlock[]; replies: readonly ModelReply[] }[] {
    const turns: OpenTurn[] = [];
    let messageId: unknown;
    for (const entry of entries) {
      const message = isObject(entry.message) ? entry.message : {};
      if (entry.type === 'user') {
        const prompt = this.#user(entry, message, turns.length);
        if (prompt !== undefined) turns.push({ prompt, replies: [] });
      } else if (entry.type === 'assistant') {
        const turn = turns.at(-1);
        const blocks = this.#assistant(entry, message, turn === undefined ? undefined : turns.length);
        if (turn === undefined || blocks.length === 0) continue;
        const last = turn.replies.at(-1);
        // The CLI writes a line for each block of a reply.
        if (last !== undefined && message.id !== undefined && message.id === messageId) last.push(...blocks);
        else turn.replies.push([...blocks]);
        messageId = message.id;
      } else {
        this.#other(entry, turns.length);
      }
    }
    return turns;
  }

  /** The prompt of a line, if it is one; results are collected. */
  #user(entry: Entry, message: Entry, turn: number): readonly PromptBlock[] | undefined {
    const blocks = blocksOf(message.content);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) this.#result(entry, block);
    if (results.length > 0 || entry.isMeta === true) return undefined;
    if (entry.isCompactSummary === true) return this.#skip('a compaction: the conversation is rehearsed in full', turn);
    const prompt = blocks.flatMap((block): PromptBlock[] => {
      if (block.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
      if (block.type === 'image' && isObject(block.source)) return [{ type: 'image', source: block.source }];
      this.#skip(`a block of the type ${String(block.type)} in a prompt`, turn + 1);
      return [];
    });
    const text = promptText(prompt);
    if (/^\[Request interrupted by user/.test(text)) return this.#skip('an interrupt', turn);
    if (/^<(command-name|command-message|local-command-|bash-(input|stdout|stderr))/.test(text)) {
      return this.#skip('a command typed by a person', turn);
    }
    return prompt.length === 0 ? undefined : prompt;
  }

  #result(entry: Entry, block: Entry): void {
    const id = this.#ids.get(String(block.tool_use_id));
    if (id === undefined) return void this.#skip('a tool result without its call');
    this.results[id] = resultIn(this.#tools.get(id) ?? '', entry, block);
    this.seeds.fromResult(entry.toolUseResult);
  }

  #assistant(entry: Entry, message: Entry, turn: number | undefined): ReplyBlock[] {
    if (entry.isApiErrorMessage === true || message.model === '<synthetic>') {
      this.#skip('a message that the CLI wrote itself, such as an API error', turn);
      return [];
    }
    return blocksOf(message.content).flatMap((block): ReplyBlock[] => {
      if (block.type === 'text') return [{ type: 'text', text: String(block.text ?? '') }];
      if (block.type === 'thinking') return [{ type: 'thinking', thinking: String(block.thinking ?? '') }];
      if (block.type === 'redacted_thinking') return [];
      if (block.type === 'tool_use' && typeof block.name === 'string' && isObject(block.input)) {
        return [
          { type: 'tool_use', id: this.#idFor(String(block.id), block.name), name: block.name, input: block.input },
        ];
      }
      this.#skip(`a block of the type ${String(block.type)} in a reply`, turn);
      return [];
    });
  }

  #other(entry: Entry, turn: number): void {
    const attachment = isObject(entry.attachment) ? entry.attachment : {};
    if (attachment.type === 'queued_command' && attachment.commandMode === 'prompt') {
      this.#skip('a prompt that joined a running turn', turn);
    }
  }

  #idFor(recorded: string, tool: string): string {
    const usable = isCallId(recorded) && !this.#tools.has(recorded);
    const id = usable ? recorded : `toolu_rehearsed_${this.#tools.size + 1}`;
    this.#tools.set(id, tool);
    this.#ids.set(recorded, id);
    return id;
  }

  #skip(what: string, turn?: number): undefined {
    const known = this.gaps.some((gap) => gap.what === what && gap.turn === turn);
    if (!known && this.gaps.length < MOST_GAPS) this.gaps.push({ what, ...(turn === undefined ? {} : { turn }) });
  }
}

/** Limits the report, because a hostile transcript could contain millions of them. */
const MOST_GAPS = 100;

function blocksOf(content: unknown): Entry[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function firstText(entries: readonly Entry[], field: string): string | undefined {
  const value = entries.find((entry) => typeof entry[field] === 'string')?.[field];
  return typeof value === 'string' ? value : undefined;
}
