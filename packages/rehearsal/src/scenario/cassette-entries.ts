import { isObject } from '@coxswain/shared/is-object';
import type { RecordedRun } from '@coxswain/testkit';
import { cassetteDecisions } from './cassette-decisions.ts';
import type { Entry } from './from-entries.ts';
import type { Gap } from './scenario.ts';

/** A run of a cassette as entries of a transcript. */
export interface CassetteEntries {
  readonly main: readonly Entry[];
  readonly agents: readonly (readonly Entry[])[];
  readonly gaps: readonly Gap[];
}

/** Converts what the host wrote and what the CLI wrote into the entries of a transcript. */
export function cassetteEntries(run: RecordedRun): CassetteEntries {
  const reader = new RunReader(run);
  for (const entry of run.entries) {
    if (entry.dir === 'in') reader.input('frame' in entry ? entry.frame : undefined, 'text' in entry ? entry.text : '');
    if (entry.dir === 'out' && 'frame' in entry) reader.output(entry.frame);
  }
  return reader;
}

interface Prompt {
  readonly uuid: unknown;
  readonly content: unknown;
}

class RunReader implements CassetteEntries {
  readonly main: Entry[] = [];
  readonly gaps: Gap[] = [];
  readonly #agents = new Map<string, Entry[]>();
  readonly #decisions: ReadonlyMap<string, object>;
  readonly #isQuery: boolean;
  /** Prompts of the host that no turn has begun with. */
  readonly #waiting: Prompt[] = [];
  #isRunning = false;
  #turns = 0;

  constructor(run: RecordedRun) {
    this.#isQuery = run.header.mode === 'query';
    this.#decisions = cassetteDecisions(run);
    if (run.header.argv.some((flag) => /^--(resume|continue|fork-session)/.test(flag))) {
      this.#skip('the conversation that this run continues');
    }
  }

  get agents(): readonly (readonly Entry[])[] {
    return [...this.#agents.values()];
  }

  input(frame: Entry | undefined, text: string): void {
    if (frame?.type === 'user') {
      this.#waiting.push({ uuid: frame.uuid, content: isObject(frame.message) ? frame.message.content : '' });
    } else if (frame === undefined && this.#isQuery && text.trim() !== '') {
      this.#waiting.push({ uuid: undefined, content: text.trimEnd() });
    } else if (frame?.type === 'control_request' && isObject(frame.request)) {
      const subtype = String(frame.request.subtype);
      if (CHANGES_THE_AGENT.test(subtype)) this.#skip(`the request ${subtype} of the program`);
    }
  }

  output(frame: Entry): void {
    if (frame.type === 'system' && frame.subtype === 'init') this.#about(frame);
    if (frame.type === 'system' && frame.subtype === 'compact_boundary') {
      this.main.push({ type: 'user', isCompactSummary: true, message: { content: 'A summary.' } });
    }
    if (frame.type === 'result') this.#end();
    if (frame.type === 'assistant') this.#assistant(frame);
    if (frame.type === 'user') this.#user(frame);
  }

  #about(frame: Entry): void {
    const version = frame.claude_code_version;
    if (typeof version === 'string') this.main.push({ type: 'about', version });
  }

  #assistant(frame: Entry): void {
    if (typeof frame.parent_tool_use_id === 'string') return this.#ofAgent(frame.parent_tool_use_id, frame);
    if (!this.#isRunning) this.#begin();
    this.main.push({ ...frame, isApiErrorMessage: frame.error !== undefined });
    const content = isObject(frame.message) && Array.isArray(frame.message.content) ? frame.message.content : [];
    for (const { id, input } of content.filter(isObject).filter(({ type }) => type === 'tool_use')) {
      if (isObject(input) && typeof input.prompt === 'string' && this.#agents.size < MOST_AGENTS) {
        this.#agents.set(String(id), [{ type: 'user', message: { content: input.prompt } }]);
      }
    }
  }

  #user(frame: Entry): void {
    if (frame.isReplay === true) return this.#echo(frame);
    const content = isObject(frame.message) ? frame.message.content : undefined;
    const result = Array.isArray(content)
      ? content.filter(isObject).find(({ type }) => type === 'tool_result')
      : undefined;
    const permissionDecision = result === undefined ? undefined : this.#decisions.get(String(result.tool_use_id));
    const entry = { ...frame, permissionDecision, toolUseResult: frame.tool_use_result };
    if (typeof frame.parent_tool_use_id === 'string') {
      // The prompt of a subagent is in the call that started it.
      if (result !== undefined) this.#ofAgent(frame.parent_tool_use_id, entry);
    } else if (result !== undefined) this.main.push(entry);
    else if (JSON.stringify(content).includes('[Request interrupted by user')) this.#skip('an interrupt', this.#turns);
  }

  /** The CLI echoes a prompt when it begins to work on it. */
  #echo(frame: Entry): void {
    const at = this.#waiting.findIndex(({ uuid }) => uuid !== undefined && uuid === frame.uuid);
    if (at === -1) return;
    const [prompt] = this.#waiting.splice(at, 1);
    if (prompt === undefined) return;
    if (this.#isRunning) this.#skip('a prompt that joined a running turn', this.#turns);
    else this.#begin(prompt);
  }

  #begin(prompt: Prompt | undefined = this.#waiting.shift()): void {
    this.#isRunning = true;
    if (prompt === undefined) return this.#skip('a turn that the CLI began itself, such as after a background task');
    this.#turns += 1;
    this.main.push({ type: 'user', message: { content: prompt.content } });
  }

  #end(): void {
    // A hook or an error can end a turn before the model replied.
    if (!this.#isRunning && this.#waiting.length > 0) this.#begin();
    this.#isRunning = false;
  }

  #ofAgent(id: string, entry: Entry): void {
    this.#agents.get(id)?.push(entry);
  }

  #skip(what: string, turn?: number): void {
    const known = this.gaps.some((gap) => gap.what === what && gap.turn === turn);
    if (!known && this.gaps.length < MOST_GAPS) this.gaps.push({ what, ...(turn === undefined ? {} : { turn }) });
  }
}

/** Requests of the host after which the CLI behaves differently. */
const CHANGES_THE_AGENT = /^(set_|apply_|mcp_set|mcp_toggle|rewind|seed|stop_task|side_question)/;
const MOST_AGENTS = 500;
const MOST_GAPS = 100;
