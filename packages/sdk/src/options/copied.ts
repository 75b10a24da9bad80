import type { UserContent } from '../wire/messages.ts';

/** A prompt as it is at the call. */
export function copiedPrompt(prompt: UserContent): UserContent {
  try {
    return structuredClone(prompt);
  } catch {
    // It holds more than data, and is refused when it is read.
    return prompt;
  }
}

/** Layers of options as they are at the call, whatever the caller does to them before they are read. */
export function copied<O>(layers: readonly O[]): readonly O[] {
  return layers.map((layer) => (typeof layer === 'object' && layer !== null ? { ...layer } : layer));
}
