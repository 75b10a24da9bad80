import type { Try } from './try.ts';

/** Simpler forms of a try with one command: without one of its words, in the order in which they should be tried. */
export function simpler(tried: Try): Try[] {
  const [call, ...others] = tried.calls;
  const command = call?.input.command;
  if (call === undefined || others.length > 0 || typeof command !== 'string') return [];
  const words = command.split(/( +|\n|\t)/);
  const shorter = words.flatMap((word, index) => {
    if (word.trim() === '') return [];
    const rest = words
      .filter((_, at) => at !== index && at !== index + 1)
      .join('')
      .trim();
    return rest === '' ? [] : [rest];
  });
  return [...new Set(shorter)].map((one) => ({
    ...tried,
    calls: [{ ...call, input: { ...call.input, command: one } }],
  }));
}

/** The size of a try, to find the smallest of several. */
export function sizeOf({ calls, bySubagent }: Try): number {
  return JSON.stringify(calls).length + (bySubagent ? 1_000 : 0) + calls.length * 100;
}
