import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiRequest, delay, type ReplyFunction, text, toolUse } from '@coxswain/testkit';
import { type Act, fileOf, type PromptPlan, promptsIn, tokensIn } from './prompt.ts';

/** Where a walk takes place, and the callbacks of its model. */
export interface ModelSurroundings {
  project(): string;
  /** A subagent is about to end. */
  agentEnds(): void;
  /** The model has received these prompts. */
  received(tokens: readonly string[]): void;
}

/** The model of a walk: carries out the prompt, then repeats the tokens of all prompts since its last answer. */
export function walkModel({ project, agentEnds, received }: ModelSurroundings): ReplyFunction {
  return async (request) => {
    if (request.kind === 'subagent') {
      await sleep(numberIn(said(request.body.messages), 'agentMs'));
      agentEnds();
      return text('looked');
    }
    if (!isConversation(request)) return text('OK');
    const news = newsIn(request);
    received(news.prompts.map(({ token }) => token));
    const { next, tokens } = progress(request, news);
    if (next.length > 0) return [delay(slowness(news)), ...next.map((step) => call(step, tokens, project()))];
    if (tokens.length === 0 && news.ownMs > 0) {
      return toolUse('Bash', { command: `: own; sleep ${news.ownMs / 1_000}` });
    }
    const linger = Math.max(0, ...news.prompts.map(({ lingerMs }) => lingerMs));
    return [delay(slowness(news)), text(answerTo(tokens)), delay(linger)];
  };
}

/** The tokens of the prompts that a request of the conversation contains for the first time. */
export function heardIn(request: ApiRequest): string[] {
  return isConversation(request) ? newsIn(request).prompts.map(({ token }) => token) : [];
}

/** Before 2.1.325 the CLI also shows the conversation to a model without tools that judges what a command would do. */
function isConversation({ isMainConversation, tools }: ApiRequest): boolean {
  return isMainConversation && tools.length > 0;
}

/** The names of the files that background commands create when they end. */
export const TASK_END = '.done';

/** The model's answer to these prompts; a turn that the CLI starts itself has none. */
function answerTo(tokens: readonly string[]): string {
  return tokens.length === 0 ? 'a turn without a prompt' : `heard ${tokens.join(' ')}`;
}

/** The messages since the model's last answer. */
interface News {
  readonly prompts: readonly PromptPlan[];
  /** The calls whose results have arrived. */
  readonly marks: readonly Mark[];
  readonly ownMs: number;
}

/** Part of each tool call: the prompts of its turn, and which action of which prompt it is. */
interface Mark {
  readonly tokens: readonly string[];
  readonly of: string;
  readonly act: number;
}

interface NextAct {
  readonly of: string;
  readonly act: number;
  readonly what: Act;
}

function newsIn(request: ApiRequest): News {
  const messages = listOf(request.body.messages);
  const spoke = messages.findLastIndex(({ role }) => role === 'assistant');
  const blocks = messages.slice(spoke + 1).flatMap(({ content }) => blocksOf(content));
  // Prompts before an interrupt are not answered.
  const interrupted = blocks.findLastIndex((block) => String(block.text).startsWith('[Request interrupted'));
  const news = blocks.slice(interrupted + 1);
  const words = news.map(wordsOf).join('\n');
  const notes = words.match(NOTIFICATION)?.join('\n') ?? '';
  const answered = news.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
  const calls = blocksOf(messages[spoke]?.content).filter((block) => answered.includes(block.id));
  return {
    prompts: promptsIn(words.replaceAll(NOTIFICATION, '')),
    marks: calls.flatMap((block) => marksIn(JSON.stringify(block.input))),
    ownMs: numberIn(notes, 'ownMs'),
  };
}

/** The next action for the received prompts, and the tokens of the turn. */
function progress(request: ApiRequest, { prompts, marks }: News): { next: NextAct[]; tokens: string[] } {
  const known = new Map(promptsIn(said(request.body.messages)).map((plan) => [plan.token, plan]));
  const done = [
    ...marks.map(({ of, act }) => ({ of, act: act + 1 })),
    ...prompts.map(({ token }) => ({ of: token, act: 0 })),
  ];
  const next = done.flatMap(({ of, act }) => {
    const what = known.get(of)?.acts[act];
    return what ? [{ of, act, what }] : [];
  });
  const tokens = [...marks.flatMap((mark) => mark.tokens), ...prompts.map(({ token }) => token)];
  return { next, tokens: [...new Set(tokens)] };
}

function call({ of, act, what }: NextAct, tokens: readonly string[], project: string) {
  const mark = `${tokens.join(' ')}|${of}:${act}|`;
  const seconds = 'ms' in what ? what.ms / 1_000 : 0;
  switch (what.do) {
    case 'write':
      return toolUse('Write', { file_path: join(project, fileOf(of)), content: mark });
    case 'bash':
      return toolUse('Bash', { command: `: '${mark}'; sleep ${seconds}` });
    case 'background':
      return toolUse('Bash', {
        command: `: '${mark}'; sleep ${seconds}; touch ${of}-${act}${TASK_END}`,
        description: `ownMs=${what.ownMs};`,
        run_in_background: true,
      });
    case 'agent':
      return toolUse('Agent', {
        description: `ownMs=${what.ownMs};`,
        prompt: `Look around: agentMs=${what.ms}; ${mark}`,
        subagent_type: 'general-purpose',
        run_in_background: true,
      });
  }
}

function marksIn(input: string): Mark[] {
  return [...input.matchAll(/((?:Q\d+x ?)+)\|(Q\d+x):(\d+)\|/g)].map(([, tokens = '', of = '', act = '0']) => ({
    tokens: tokensIn(tokens),
    of,
    act: Number(act),
  }));
}

function slowness({ prompts }: News): number {
  return Math.max(0, ...prompts.map(({ slowMs }) => slowMs));
}

function numberIn(words: string, name: string): number {
  return Number(new RegExp(`${name}=(\\d+);`).exec(words)?.[1] ?? 0);
}

/** The whole text of a conversation. */
function said(messages: unknown): string {
  return listOf(messages)
    .flatMap(({ content }) => blocksOf(content))
    .map(wordsOf)
    .join('\n');
}

/** The CLI appends prompts that arrive while a tool runs to the tool's result, or adds them beside it. */
function wordsOf({ text: words, content }: Readonly<Record<string, unknown>>): string {
  return [String(words ?? ''), ...blocksOf(content).map((block) => String(block.text ?? ''))].join('\n');
}

function blocksOf(content: unknown): Readonly<Record<string, unknown>>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  // The CLI defines the body of a request; its lists contain objects.
  return Array.isArray(value) ? (value as Readonly<Record<string, unknown>>[]) : [];
}

const NOTIFICATION = /<task-notification>[\s\S]*?<\/task-notification>/g;
