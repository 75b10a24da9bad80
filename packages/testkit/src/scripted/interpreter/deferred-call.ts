import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, objectOf, objectsIn } from '../../json.ts';

/** The CLI's own prompt after the result of a call that it has asked for again. */
export const CONTINUE = 'Continue from where you left off.';

/** The type of the attachment that marks a deferred call. */
export const DEFERRED = 'hook_deferred_tool';

/** The call for which a resumed CLI asks again. */
export interface DeferredCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** False if the conversation has no such call: the CLI then continues without it. */
  readonly found: boolean;
  /** The prompt of its turn. */
  readonly prompt: string;
  /** How many equal calls its turn has made, including this one. */
  readonly count: number;
}

/** The deferred call at the end of a conversation. Only the last marker counts, and the input is that of the call itself. */
export function deferredCall(transcript: readonly JsonObject[]): DeferredCall | undefined {
  const main = transcript.filter(({ isSidechain }) => isSidechain !== true);
  const turn = main.slice(main.findLastIndex(isPrompt));
  const marker = objectOf(turn.findLast(isMarker)?.attachment);
  if (marker === undefined) return undefined;
  const blocks = turn.flatMap(blocksOf);
  const id = String(marker.toolUseID);
  if (blocks.some((block) => block.tool_use_id === id)) return undefined;
  const call = blocks.find((block) => block.type === 'tool_use' && block.id === id);
  const { name, input } = call ?? { name: marker.toolName, input: marker.toolInput };
  const equal = blocks.filter((block) => block.name === name && isDeepStrictEqual(block.input, input));
  return {
    id,
    name: String(name),
    input: objectOf(input) ?? {},
    found: call !== undefined,
    prompt: promptText(turn[0]),
    count: equal.length,
  };
}

export function isMarker({ attachment }: JsonObject): boolean {
  return objectOf(attachment)?.type === DEFERRED;
}

function isPrompt(entry: JsonObject): boolean {
  return (
    entry.type === 'user' && entry.isMeta !== true && !blocksOf(entry).some(({ tool_use_id: id }) => id !== undefined)
  );
}

function blocksOf({ message }: JsonObject): JsonObject[] {
  return objectsIn(objectOf(message)?.content);
}

function promptText(entry: JsonObject | undefined): string {
  const content = objectOf(entry?.message)?.content;
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n');
}
