import { diff, type Scenario, type Trace } from '@coxswain/rehearsal';
import type { PlantedChange } from './corpus.ts';

/** The differences that a planted change must cause in a conversation, and no others. */
export function expectedOf(planted: PlantedChange, scenario: Scenario): readonly string[] {
  const ofCalls = commandsOf(scenario)
    .filter(({ command }) => planted.concerns(command))
    .map(({ id }) => `${planted.change} ${id}`);
  return [...(planted.once ?? []), ...ofCalls];
}

/** The differences between two traces, in the words of `expectedOf()`. */
export function foundIn(before: Trace, after: Trace): readonly string[] {
  return diff(before, after).map(({ change, call, subject }) => (call === undefined ? subject : `${change} ${call}`));
}

/** The calls of a conversation. */
function commandsOf(scenario: Scenario): readonly { readonly id: string; readonly command: string | undefined }[] {
  return scenario.turns
    .flatMap(({ replies }) => replies.flat())
    .flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    .map(({ id, input }) => ({ id, command: typeof input.command === 'string' ? input.command : undefined }));
}
