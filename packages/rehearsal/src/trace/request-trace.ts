import { createHash } from 'node:crypto';
import { isObject } from '@coxswain/shared/is-object';
import type { ApiRequest } from '@coxswain/testkit';
import type { RequestTrace, TextTrace } from './trace.ts';

/** Describes a request; `name` replaces the folders of the run. */
export function requestTrace(
  request: ApiRequest,
  by: 'main' | 'subagent',
  name: (text: string) => string,
): RequestTrace {
  const output = isObject(request.body.output_config) ? request.body.output_config : {};
  return {
    by,
    model: request.model,
    ...(typeof output.effort === 'string' ? { effort: output.effort } : {}),
    ...(request.thinking === undefined ? {} : { thinking: JSON.stringify(request.thinking) }),
    ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
    betas: request.betas,
    tools: request.toolDefinitions.map((tool) =>
      textTrace(tool.name, name(`${tool.description}\n${JSON.stringify(tool.inputSchema)}`)),
    ),
    deferredTools: request.deferredTools,
    system: sectionsOf(name(systemOf(request))),
    context: sectionsOf(name(contextOf(request).replace(DEFERRED_LIST, ''))),
  };
}

/** The names of the deferred tools, which are compared one by one. */
const DEFERRED_LIST = /(?<=^The following deferred tools are now available[^\n]*:\n)(?:[\w-]+(?:\n|$))+/gm;

/** A text as title, length and hash. */
export function textTrace(title: string, text: string): TextTrace {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { title, words: text.split(/\s+/).filter((word) => word !== '').length, hash };
}

/** The system prompt; the line with the fingerprint of the client changes with every prompt. */
function systemOf(request: ApiRequest): string {
  return request.system
    .split('\n')
    .filter((line) => !line.startsWith('x-anthropic-billing-header:'))
    .join('\n');
}

/** What the CLI adds to the first message of the user: reminders, and messages with the role `system`. */
function contextOf(request: ApiRequest): string {
  const messages = Array.isArray(request.body.messages) ? request.body.messages.filter(isObject) : [];
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  const opening = answered === -1 ? messages : messages.slice(0, answered);
  return opening
    .flatMap(({ role, content }) =>
      textsIn(content).filter((text) => role === 'system' || text.startsWith('<system-reminder>')),
    )
    .join('\n');
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

/** The sections of a text that begin with a heading of the first or the second level; dates are replaced. */
function sectionsOf(text: string): TextTrace[] {
  const sections: { title: string; lines: string[] }[] = [{ title: 'beginning', lines: [] }];
  for (const line of text.replace(/\b20\d\d-\d\d-\d\d\b/g, '<date>').split('\n')) {
    const title = /^##? (.{1,100})$/.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  const titled = sections.filter(({ lines }) => lines.join('').trim() !== '');
  return titled.map(({ title, lines }, index) => {
    const before = titled.slice(0, index).filter((section) => section.title === title).length;
    // If another section follows, a section ends with an empty line.
    return textTrace(before === 0 ? title : `${title} (${before + 1})`, lines.join('\n').trimEnd());
  });
}
