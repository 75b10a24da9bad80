import { type ApiRequest, type Reply, type ReplyStep, text, thinking, toolUse } from '@coxswain/testkit';
import { promptText } from '../scenario/from-entries.ts';
import type { Gap, ModelReply, RecordedCall, Scenario, ScenarioAgent } from '../scenario/scenario.ts';
import { isActedOn } from './acted-on.ts';
import { type Folders, isInStage, toStage } from './paths.ts';
import type { RecordedShell } from './recorded-shell.ts';
import { isRehearsed, runsCommand } from './rehearsed-tools.ts';

/** Answers the requests of the CLI with what the model replied in the recording. */
export class ModelSide {
  readonly gaps: Gap[] = [];
  /** The ids of the calls that the model has made. */
  readonly made: Set<string> = new Set();
  readonly #scenario: Scenario;
  readonly #folders: Folders;
  readonly #shell: RecordedShell;
  readonly #agents: { readonly agent: ScenarioAgent; readonly replies: ModelReply[]; owner: string | undefined }[];
  #turn: ModelReply[] = [];
  #turnNumber = 0;
  #onRequest: () => void = () => {};
  readonly #readsSettings: boolean;

  /** `readsSettings`: the CLI reads the settings in the workspace. */
  constructor(scenario: Scenario, folders: Folders, shell: RecordedShell, readsSettings: boolean) {
    this.#readsSettings = readsSettings;
    this.#scenario = scenario;
    this.#folders = folders;
    this.#shell = shell;
    this.#agents = scenario.agents.map((agent) => ({ agent, replies: [...agent.replies], owner: undefined }));
  }

  /** Begins the next turn: requests get its replies. */
  begin(turn: number): void {
    this.#turn = [...(this.#scenario.turns[turn]?.replies ?? [])];
    this.#turnNumber = turn + 1;
  }

  /** Number of replies of the turn that the CLI has not requested. */
  get left(): number {
    return this.#turn.length;
  }

  /** Number of replies of started subagents that the CLI has not requested. */
  get leftOfAgents(): number {
    return this.#agents.reduce((sum, { owner, replies }) => sum + (owner === undefined ? 0 : replies.length), 0);
  }

  /** Waits for the next request of the CLI; false if there is none within this time. */
  nextRequest(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#onRequest = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  async reply(request: ApiRequest): Promise<Reply> {
    this.#onRequest();
    const first = request.turns.find(({ role, text: said }) => role === 'user' && said !== '')?.text.trim() ?? '';
    const agent = this.#agentOf(request, first);
    if (agent !== undefined) return this.#steps(agent.replies.shift(), request);
    if (request.kind === 'subagent') {
      this.#note({ what: 'a subagent whose transcript is not part of the recording' });
      return text('(not recorded)');
    }
    return this.#steps(this.#turn.shift(), request);
  }

  // Older releases do not mark the requests of subagents: their first prompt identifies them.
  #agentOf(request: ApiRequest, first: string) {
    const ofPrompt = this.#agents.filter(({ agent }) => toStage(agent.prompt, this.#folders).trim() === first);
    const opening = toStage(promptText(this.#scenario.turns[0]?.prompt ?? []), this.#folders).trim();
    if (request.kind !== 'subagent' && first === opening) return undefined;
    const owner = request.agentId ?? 'unmarked';
    const known = ofPrompt.find((one) => one.owner === owner) ?? ofPrompt.find((one) => one.owner === undefined);
    if (known !== undefined) known.owner = owner;
    return known;
  }

  async #steps(reply: ModelReply | undefined, request: ApiRequest): Promise<Reply> {
    if (reply === undefined) return text('(end of the recording)');
    const steps: ReplyStep[] = [];
    for (const block of reply) {
      if (block.type === 'text' && block.text !== '') steps.push(text(toStage(block.text, this.#folders)));
      if (block.type === 'thinking' && block.thinking !== '') steps.push(thinking(block.thinking));
      if (block.type === 'tool_use') steps.push(...(await this.#call(block, request)));
    }
    return steps.length > 0 ? steps : text('(nothing that can be rehearsed)');
  }

  async #call(call: RecordedCall, request: ApiRequest): Promise<ReplyStep[]> {
    const input: RecordedCall['input'] = JSON.parse(toStage(JSON.stringify(call.input), this.#folders));
    // The path that the CLI gets is checked: what is inside of the recorded folder can be outside once that is replaced.
    const written = writtenPath({ ...call, input });
    if (written !== undefined && !isInStage(written, this.#folders)) {
      return this.#leave(call, `${call.name} outside of the working directory: ${recordedPath(call)}`);
    }
    if (written !== undefined && isActedOn(written, this.#readsSettings))
      return this.#leave(call, `${call.name} of a file that the CLI would act on: ${recordedPath(call)}`);
    if (!isRehearsed(call.name, request))
      return this.#leave(call, `the tool ${call.name}: its effects are not contained`);
    if (runsCommand(call.name) && 'command' in input && typeof input.command === 'string') {
      await this.#shell.expect(input.command, this.#scenario.results[call.id]);
    }
    this.made.add(call.id);
    return [toolUse(call.name, input, { id: call.id })];
  }

  /** A call that is not made. */
  #leave({ id }: RecordedCall, what: string): [] {
    this.#note({ what, turn: this.#turnNumber, call: id });
    return [];
  }

  #note(gap: Gap): void {
    if (this.gaps.length < 100) this.gaps.push(gap);
  }
}

const WRITING: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

function recordedPath(call: RecordedCall): string {
  return (writtenPath(call) ?? '').slice(0, 200);
}

/** The file that a call would write. */
function writtenPath({ name, input }: RecordedCall): string | undefined {
  const path = WRITING.has(name) ? (input.file_path ?? input.notebook_path) : undefined;
  return typeof path === 'string' ? path : undefined;
}
