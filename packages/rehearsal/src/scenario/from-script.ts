import type { Script } from '@coxswain/testkit';
import type { Gap, ModelReply, RecordedResult, ReplyBlock, Scenario, ScenarioAgent, ScenarioTurn } from './scenario.ts';

/** How to read a script. */
export interface ScriptOptions {
  /** The prompts of the conversation, in order: a script answers prompts, and contains none. */
  readonly prompts: readonly string[];
  /** Its name in reports. Default: `script`. */
  readonly name?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * What the model does in a script of the test kit. Its calls are expected to run, except those that it denies itself, so that a
 * rehearsal compares the script with the real CLI.
 */
export function fromScript(script: Script, { prompts, name = 'script', files = {} }: ScriptOptions): Scenario {
  const { rules, start, faults } = script.toJSON();
  const reader = new ScriptReader();
  if (start.length > 0 || faults.length > 0) reader.leave('faults, and what happens before the first prompt');
  const uses = new Map<Rule, number>();
  const turns = prompts.map((prompt, index): ScenarioTurn => {
    const rule = rules.find(
      (one) =>
        (uses.get(one) ?? 0) < (one.times ?? Number.POSITIVE_INFINITY) &&
        (one.inRun ?? 1) === 1 &&
        (one.prompt === null || new RegExp(one.prompt.source, one.prompt.flags).test(prompt)),
    );
    if (rule === undefined) reader.leave('no rule of the script answers this prompt', index + 1);
    else uses.set(rule, (uses.get(rule) ?? 0) + 1);
    return { prompt: [{ type: 'text', text: prompt }], replies: reader.replies(rule?.steps ?? [], index + 1) };
  });
  const { agents, results, gaps } = reader;
  return { format: 1, name, turns, agents, results, files, gaps };
}

type Rule = ReturnType<Script['toJSON']>['rules'][number];
type Step = Rule['steps'][number];
type Call = Extract<Step, { step: 'tools' }>['calls'][number];

class ScriptReader {
  readonly results: Record<string, RecordedResult> = {};
  readonly agents: ScenarioAgent[] = [];
  readonly gaps: Gap[] = [];

  /** A reply ends with its calls. */
  replies(steps: readonly Step[], turn?: number): readonly ModelReply[] {
    const replies: ModelReply[] = [];
    let blocks: ReplyBlock[] = [];
    for (const step of steps) {
      const made = this.#blocks(step, turn);
      blocks.push(...made);
      if (made.some(({ type }) => type === 'tool_use')) {
        replies.push(blocks);
        blocks = [];
      }
    }
    return blocks.length > 0 ? [...replies, blocks] : replies;
  }

  leave(what: string, turn?: number): void {
    this.gaps.push({ what, ...(turn === undefined ? {} : { turn }) });
  }

  #blocks(step: Step, turn: number | undefined): ReplyBlock[] {
    if (step.step === 'say') return [{ type: 'text', text: step.text }];
    if (step.step === 'think') return [{ type: 'thinking', thinking: step.text }];
    if (step.step === 'tools') return step.calls.map((call) => this.#call(call.name, call.input, resultOf(call)));
    if (step.step === 'background') {
      return [this.#call('Bash', { command: step.command, run_in_background: true }, RAN)];
    }
    if (step.step === 'subagent') {
      const { description, prompt, agentType, background } = step;
      this.agents.push({ prompt, replies: this.replies(step.steps) });
      return [
        this.#call('Agent', { description, prompt, subagent_type: agentType, run_in_background: background }, RAN),
      ];
    }
    if (!WITHOUT_EFFECT.has(step.step)) this.leave(`the step ${step.step} of the script`, turn);
    return [];
  }

  #call(name: string, input: Readonly<Record<string, unknown>>, result: RecordedResult): ReplyBlock {
    const id = `toolu_script_${Object.keys(this.results).length + 1}`;
    this.results[id] = result;
    return { type: 'tool_use', id, name, input };
  }
}

const RAN: RecordedResult = { outcome: 'ran', text: '', isError: false };

/** Steps that end a turn as every rehearsed turn ends, or that only take time. */
const WITHOUT_EFFECT: ReadonlySet<Step['step']> = new Set(['result', 'wait', 'redacted-thinking', 'if-refused']);

function resultOf({ result, isError, permission }: Call): RecordedResult {
  if (permission === 'deny') return { outcome: 'refused', text: '', isError: true };
  const text =
    typeof result === 'string' ? result : (result ?? []).map(({ text: said }) => String(said ?? '')).join('\n');
  return { outcome: 'ran', text, isError };
}
