import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval, Fleet } from '@coxswain/fleet';
import { type ApiRequest, type ReplyFunction, text, toolUse } from '@coxswain/testkit';
import { allow, deny } from 'coxswain';

/** The turns that ask, if they do, and those that are denied. */
const asks = (n: number): boolean => n % 3 === 0;
const isDenied = (n: number): boolean => n % 12 === 0;

/** A prompt. With `ASK`, the model asks for a command before it answers. */
export function promptOf(n: number, asking: boolean): string {
  return asking && asks(n) ? `PROMPT-${n} ASK` : `PROMPT-${n}`;
}

/** The model: it takes the prompt from its history, because a resumed CLI only asks it to continue. */
export function model(effects: string): ReplyFunction {
  return ({ turns }) => {
    const history = JSON.stringify(turns);
    const [, n, ask] = [...history.matchAll(/PROMPT-(\d+)( ASK)?/g)].at(-1) ?? [];
    if (ask === undefined || history.includes(`TOOL-${n} `)) return text(`ANSWER-${n}`);
    return toolUse('Bash', { command: `echo TOOL-${n} >> ${effects}` });
  };
}

/** Prompts, calls and answers, in order; other text of the CLI has no such markers. */
export function markersIn(value: unknown): string[] {
  const messages = Array.isArray(value) ? value : [];
  return messages.flatMap((entry: { readonly message?: unknown; readonly type?: string }) => {
    const relevant =
      entry.type === undefined
        ? entry
        : entry.type === 'user' || entry.type === 'assistant'
          ? entry.message
          : undefined;
    return JSON.stringify(relevant ?? '').match(/\b(?:PROMPT|TOOL|ANSWER)-\d+/g) ?? [];
  });
}

/** Calls in the history of a request that have no result. */
export function callsWithoutResult({ body }: ApiRequest): string[] {
  const history = JSON.stringify(body.messages ?? []);
  const calls = [...history.matchAll(/"type":"tool_use","id":"([^"]+)"|"id":"([^"]+)","type":"tool_use"/g)];
  return calls.map(([, one, other]) => one ?? other ?? '').filter((id) => !history.includes(`"tool_use_id":"${id}"`));
}

/** Answers approvals some time after they were requested, until the signal aborts. Returns what it answered, by turn. */
export function answerAll(fleet: Fleet, signal: AbortSignal): ReadonlyMap<string, string> {
  const answered = new Map<string, string>();
  const one = async ({ id, hash, turn }: Approval): Promise<void> => {
    await delay(Math.random() * 3_000, undefined, { signal });
    const denies = isDenied(Number(turn.slice(1)));
    await fleet.answer(id, denies ? deny('Not now.') : allow(), { by: 'ann', hash });
    answered.set(turn, denies ? 'deny' : 'allow');
  };
  const seen = new Set<string>();
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const approval of await fleet.approvals({ limit: 1_000 }).catch(() => [])) {
        if (seen.has(approval.id)) continue;
        seen.add(approval.id);
        // Its turn may have been interrupted meanwhile.
        one(approval).catch(() => {});
      }
      await delay(200, undefined, { signal }).catch(() => {});
    }
  };
  void look();
  return answered;
}

/** Allowed commands ran once, unless their turn was interrupted; denied ones never; no accepted answer is void. */
export async function checkEffects(
  fleet: Fleet,
  effects: string,
  outcomes: ReadonlyMap<string, string>,
): Promise<string[]> {
  const problems: string[] = [];
  const ran = (await readFile(effects, { encoding: 'utf8', flag: 'a+' })).split('\n').filter(Boolean);
  for (const [turn, outcome] of outcomes) {
    const n = Number(turn.slice(1));
    if (!asks(n)) continue;
    const times = ran.filter((line) => line === `TOOL-${n}`).length;
    if (times > 1 || (isDenied(n) && times > 0)) problems.push(`the command of ${turn} ran ${times} times`);
    if (outcome === 'completed' && !isDenied(n) && times === 0) problems.push(`the command of ${turn} did not run`);
  }
  for (const { turn, answer } of await fleet.approvals({ state: 'void', limit: 1_000 }))
    if (answer !== null) problems.push(`the accepted answer to ${turn} is void`);
  return problems;
}
