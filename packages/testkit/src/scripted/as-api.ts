import {
  apiError,
  delay,
  type Reply,
  type ReplyStep,
  redactedThinking,
  text,
  thinking,
  toolUse,
  until,
} from '../fake-api/reply.ts';
import type { ApiRequest } from '../fake-api/request.ts';
import type { ReplyFunction } from '../fake-api/script.ts';
import { CONTINUE } from './interpreter/deferred-call.ts';
import { agentInput, backgroundInput } from './interpreter/tool-inputs.ts';
import { checkScript, type Script } from './script.ts';
import type { BackgroundStep, Rule, Step, SubagentStep } from './script-data.ts';

/** The answers of the fake Messages API per kind of request: an `ApiScript`. */
export interface ScriptedApi {
  readonly main: ReplyFunction;
  readonly subagent: ReplyFunction;
  readonly aside: (request: ApiRequest) => Reply | undefined;
}

/**
 * Converts the script for the real CLI: replies of the fake Messages API that make the model follow the script. Tools run for
 * real and the CLI writes its own results, so the script's results are ignored.
 * @throws TypeError for a step that only the CLI itself can do, such as a crash or the turn limit
 */
export function asApiScript(agent: Script): ScriptedApi {
  checkScript('asApiScript(script)', agent);
  const { rules, start, faults } = agent.toJSON();
  if (start.length > 0) throw notOfAnApi('atStart()');
  for (const { fault } of faults) throw notOfAnApi(`the fault '${fault.fault}'`);
  for (const { inRun, steps } of rules) {
    if (inRun !== null) throw notOfAnApi('a rule with inRun');
    checkSteps(steps);
  }
  const main = new Voice(rules);
  const subagents = new Map<string | undefined, Voice>();
  return {
    main: (request) => main.reply(request),
    subagent(request) {
      const known = subagents.get(request.agentId) ?? main.subagent(request);
      subagents.set(request.agentId, known);
      return known.reply(request);
    },
    aside: (request) => (request.kind === 'compaction' ? text('<summary>So far.</summary>') : undefined),
  };
}

/** The answers of one speaker, the agent or a subagent. */
class Voice {
  readonly #rules: readonly Rule[];
  readonly #uses = new Map<Rule, number>();
  readonly #subagents: SubagentStep[] = [];
  readonly #notifications: (readonly Step[])[] = [];
  /** The remaining replies of the running turn. */
  #replies: Reply[] = [];
  #prompt = '';
  #asked = '';

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  reply(request: ApiRequest): Reply {
    if (!this.#goesOn(request)) this.#begin(request);
    this.#prompt = request.lastUserText;
    this.#asked = JSON.stringify(request.body.messages);
    const [next = text('…'), ...more] = this.#replies;
    // A permanent API error also refuses every retry.
    if (more.length > 0 || !('type' in next) || next.type !== 'api_error') this.#replies = more;
    return next;
  }

  /** The voice of a subagent that this one has started, recognised by its prompt. */
  subagent(request: ApiRequest): Voice {
    const asked = JSON.stringify(request.body.messages);
    const at = this.#subagents.findIndex(({ prompt }) => asked.includes(JSON.stringify(prompt).slice(1, -1)));
    const [step] = this.#subagents.splice(Math.max(0, at), 1);
    return new Voice([{ prompt: null, times: null, inRun: null, steps: step?.steps ?? [] }]);
  }

  /** True for a retry of the same request, and for a request with tool results and no new prompt. */
  #goesOn({ body, toolResults, lastUserText }: ApiRequest): boolean {
    if (this.#asked === JSON.stringify(body.messages)) return true;
    return toolResults.length > 0 && (lastUserText === this.#prompt || lastUserText === CONTINUE);
  }

  #begin({ body, lastUserText }: ApiRequest): void {
    const newest = Array.isArray(body.messages) ? JSON.stringify(body.messages.at(-1)) : '';
    const notified = newest.includes('<task-notification>') ? this.#notifications.shift() : undefined;
    this.#replies = this.#compile(notified ?? this.#ruleFor(lastUserText)?.steps ?? []);
  }

  #ruleFor(prompt: string): Rule | undefined {
    const rule = this.#rules.find((candidate) => {
      if (candidate.times !== null && (this.#uses.get(candidate) ?? 0) >= candidate.times) return false;
      return candidate.prompt === null || new RegExp(candidate.prompt.source, candidate.prompt.flags).test(prompt);
    });
    if (rule) this.#uses.set(rule, (this.#uses.get(rule) ?? 0) + 1);
    return rule;
  }

  /** One reply per API message: a message ends with its tool calls. */
  #compile(steps: readonly Step[]): Reply[] {
    const replies: Reply[] = [];
    let message: ReplyStep[] = [];
    const end = (): void => {
      if (message.length > 0) replies.push(message);
      message = [];
    };
    for (const step of steps) {
      message = message.concat(this.#blocks(step));
      if (step.step === 'retry') {
        end();
        replies.push(...Array.from({ length: step.attempts }, () => apiError(step.status ?? 500)));
      } else if (step.step === 'api-error') {
        end();
        replies.push(apiError(step.status ?? 500));
      } else if (endsMessage.has(step.step)) {
        end();
      }
    }
    end();
    return replies;
  }

  #blocks(step: Step): ReplyStep[] {
    switch (step.step) {
      case 'say':
        return [text(step.text, pace(step.everyMs))];
      case 'think':
        return [thinking(step.text, pace(step.everyMs))];
      case 'redacted-thinking':
        return [redactedThinking(step.data)];
      case 'tools':
        return step.calls.map(({ name, input }) => toolUse(name, input));
      case 'subagent':
        this.#subagents.push(step);
        if (step.background) this.#notify(step);
        return [toolUse('Agent', agentInput(step))];
      case 'background':
        this.#notify(step);
        return [toolUse('Bash', backgroundInput(step))];
      case 'structured-output':
      case 'rejected-output':
        return [toolUse('StructuredOutput', Object(step.value))];
      case 'wait':
        return [delay(step.ms)];
      case 'forever':
        return [until(new Promise(() => {}))];
      default:
        return [];
    }
  }

  #notify({ after }: BackgroundStep | SubagentStep): void {
    this.#notifications.push(after ?? [{ step: 'say', text: 'It is done.', everyMs: null }]);
  }
}

const endsMessage: ReadonlySet<Step['step']> = new Set([
  'tools',
  'subagent',
  'background',
  'structured-output',
  'rejected-output',
  'result',
]);

/** The methods of a script for steps that only the CLI can do. */
const OF_THE_CLI: Readonly<Partial<Record<Step['step'], string>>> = {
  'rate-limit': 'rateLimitEvent() or rateLimited()',
  'if-refused': 'ifRefused()',
  hook: 'fireHook()',
  compact: 'compact()',
  'max-turns': 'maxTurns()',
  'max-budget': 'maxBudget()',
  'structured-output-fails': 'structuredOutputFails()',
  fail: 'fail()',
};

function checkSteps(steps: readonly Step[]): void {
  for (const step of steps) {
    const call = OF_THE_CLI[step.step];
    if (call !== undefined) throw notOfAnApi(call);
    if (step.step === 'fault') throw notOfAnApi(`the fault '${step.fault.fault}'`);
    if (step.step === 'api-error' && step.status === null) throw notOfAnApi('notLoggedIn()');
    if (step.step === 'retry' && step.status === null) throw notOfAnApi('apiRetry(null), a failed connection');
    if ('steps' in step) checkSteps(step.steps);
    if ('after' in step && step.after) checkSteps(step.after);
  }
}

function notOfAnApi(what: string): TypeError {
  return new TypeError(
    `asApiScript() cannot convert ${what}: only the CLI itself can do that, not the API. Leave it out, or run the script with scriptedCli() or inMemoryCli().`,
  );
}

function pace(everyMs: number | null): { everyMs?: number; chunkSize?: number } {
  return everyMs === null ? {} : { everyMs, chunkSize: 8 };
}
