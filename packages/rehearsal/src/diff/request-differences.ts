import type { RequestTrace, TextTrace } from '../trace/trace.ts';
import type { Change, Difference } from './difference.ts';

/** Compares the first request of the main conversation, and the first one of a subagent. */
export function requestDifferences(
  before: readonly RequestTrace[] | undefined,
  after: readonly RequestTrace[] | undefined,
): Difference[] {
  return (['main', 'subagent'] as const).flatMap((by) => {
    const was = before?.find((request) => request.by === by);
    const is = after?.find((request) => request.by === by);
    if (was === undefined || is === undefined) return [];
    const found = [
      ...FIELDS.flatMap((field) => valueDifference(field, was[field], is[field])),
      ...listDifferences('beta', was.betas, is.betas),
      ...listDifferences('deferred tool', was.deferredTools, is.deferredTools),
      ...textDifferences('tool', 'tool', was.tools, is.tools),
      ...textDifferences('system-prompt', 'system prompt, section', was.system, is.system),
      ...textDifferences('context', 'context, section', was.context, is.context),
    ];
    return by === 'main' ? found : found.map((one) => ({ ...one, subject: `subagent: ${one.subject}` }));
  });
}

const FIELDS = ['model', 'effort', 'thinking', 'maxTokens'] as const;

function valueDifference(
  field: string,
  before: string | number | undefined,
  after: string | number | undefined,
): Difference[] {
  if (before === after) return [];
  return [{ change: 'request', subject: field, before: String(before ?? 'unset'), after: String(after ?? 'unset') }];
}

function listDifferences(what: string, before: readonly string[], after: readonly string[]): Difference[] {
  const one = (name: string, isAfter: boolean): Difference => ({
    change: 'request',
    subject: `${what} ${name}`,
    before: isAfter ? 'absent' : 'present',
    after: isAfter ? 'present' : 'absent',
  });
  return [
    ...after.filter((name) => !before.includes(name)).map((name) => one(name, true)),
    ...before.filter((name) => !after.includes(name)).map((name) => one(name, false)),
  ];
}

function textDifferences(
  change: Change,
  what: string,
  before: readonly TextTrace[],
  after: readonly TextTrace[],
): Difference[] {
  const was = new Map(before.map((text) => [text.title, text]));
  const is = new Map(after.map((text) => [text.title, text]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((title) => {
    const [old, now] = [was.get(title), is.get(title)];
    if (old?.hash === now?.hash) return [];
    return [{ change, subject: `${what} ${title}`, before: sizeOf(old), after: sizeOf(now, old) }];
  });
}

function sizeOf(text: TextTrace | undefined, before?: TextTrace): string {
  if (text === undefined) return 'absent';
  const grown = before === undefined ? 0 : text.words - before.words;
  const change = before === undefined ? '' : grown === 0 ? ', changed' : `, ${grown > 0 ? '+' : '−'}${Math.abs(grown)}`;
  return `${text.words} words${change}`;
}
