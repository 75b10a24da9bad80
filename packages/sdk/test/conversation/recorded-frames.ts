import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Message } from '../../src/wire/messages.ts';

/** A step of a recording: a written prompt or a received message. */
export type RecordedStep = { readonly prompt: string } | { readonly message: Message };

/** The prompts and messages of a recording in their order, without control frames. A prompt without a uuid gets one. */
export function recordedSteps(name: string): RecordedStep[] {
  const path = fileURLToPath(new URL(`../fixtures/recordings/${name}.ndjson`, import.meta.url));
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  let prompts = 0;
  return lines.flatMap((line): RecordedStep[] => {
    const { dir, line: frame }: { dir: string; line: string } = JSON.parse(line);
    if (dir !== 'in' && dir !== 'out') return [];
    const message: Message & { uuid?: string } = JSON.parse(frame);
    const type: string = message.type;
    if (type.startsWith('control_')) return [];
    if (dir === 'out') return [{ message }];
    prompts += 1;
    return [{ prompt: message.uuid ?? `prompt-${prompts}` }];
  });
}

/** `system/init`, `result`, … */
export function kindOf(message: Message): string {
  const subtype: unknown = Reflect.get(message, 'subtype') ?? Reflect.get(message, 'state');
  const replay = message.type === 'user' && message.isReplay ? 'user/replay' : undefined;
  return (
    replay ?? (typeof subtype === 'string' && message.type !== 'result' ? `${message.type}/${subtype}` : message.type)
  );
}
