import { type Message, toolResultsOf, toolUsesOf } from 'coxswain';
import type { Call, ToolName } from './call.ts';
import { differences, fits, type Pattern, show } from './pattern.ts';
import type { Received } from './received.ts';
import { checkInputFields } from './tool-fields.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The tool calls of messages or of scripted runs. */
export function callsOf({ messages, runs }: Received): Call[] {
  return [...callsIn(messages), ...runs.flatMap(({ tools }) => tools)];
}

/** Searches a call of this tool with this input among the relevant calls. */
export function findCall(
  wanted: string,
  calls: readonly Call[],
  tool: { readonly name: ToolName; readonly input: Pattern },
  counts: (call: Call) => boolean,
): Verdict {
  const { name, input } = tool;
  checkInputFields(name, input, calls);
  const called = `${typeof name === 'string' ? name : show(name)}${input === undefined ? '' : ` with ${show(input)}`}`;
  return {
    ...verdict({
      pass: calls.some(
        (call) => counts(call) && isNamed(call, name) && (input === undefined || fits(input, call.input)),
      ),
      wanted: `${wanted} ${called}`,
      listed: 'Tool calls',
      seen: calls.map((call) => describeCall(call, tool)),
    }),
    actual: calls.map((call) => ({ name: call.name, input: call.input })),
    expected: input === undefined ? { name } : { name, input },
  };
}

/** Also lists the differences for a call of the wanted tool with another input. */
function describeCall(call: Call, { name, input }: { readonly name: ToolName; readonly input: Pattern }): string {
  const asked = call.asked === true ? ', the host was asked' : '';
  const text = `${call.name} ${show(call.input)}: ${call.outcome}${asked}`;
  if (input === undefined || !isNamed(call, name)) return text;
  return [text, ...differences(input, call.input).map((difference) => `  ${difference}`)].join('\n');
}

function isNamed({ name }: Call, wanted: ToolName): boolean {
  return typeof wanted === 'string' ? name === wanted : name.search(wanted) !== -1;
}

function callsIn(messages: readonly Message[]): Call[] {
  const decisions = new Map(messages.flatMap(decisionsIn));
  const denied = new Set(messages.flatMap(denialsIn));
  const carriedOut = messages.flatMap(toolResultsOf).filter(({ content }) => !String(content).startsWith(NO_CALL));
  const answered = new Set(carriedOut.map(({ tool_use_id }) => tool_use_id));
  return messages.flatMap(toolUsesOf).map(({ id, name, input }) => {
    const { decision, source } = decisions.get(id) ?? {};
    const refused = decision === 'reject' || denied.has(id);
    const outcome = refused ? 'refused' : answered.has(id) ? 'ran' : 'called';
    return { name, input, outcome, asked: typeof source === 'string' && source.startsWith('user_') };
  });
}

/** The start of the CLI's result for a call of an unknown tool, or with an invalid input. */
const NO_CALL = '<tool_use_error>';

type Decision = Readonly<Record<string, unknown>>;

/** The decisions about calls, which newer releases report beside the result. */
function decisionsIn(message: Message): [id: string, decision: Decision][] {
  if (message.type !== 'user' || !Array.isArray(message.tool_result_meta)) return [];
  return message.tool_result_meta.flatMap((meta): [string, Decision][] => {
    const decision: unknown = meta?.permission_decision;
    return typeof decision === 'object' && decision !== null ? [[String(meta.id), { ...decision }]] : [];
  });
}

function denialsIn(message: Message): string[] {
  if (message.type !== 'result' || !Array.isArray(message.permission_denials)) return [];
  return message.permission_denials.map((denial) => String(denial?.tool_use_id));
}
