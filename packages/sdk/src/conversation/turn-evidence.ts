import { field, stringField } from '../messages/fields.ts';
import type { Message } from '../wire/messages.ts';

/**
 * What one frame reveals about the CLI's runs. A run is what the CLI does between an `init` and a `result`; it takes up one or
 * more prompts, or none when the CLI starts it because a background task has ended.
 *
 * | frame | since |
 * | --- | --- |
 * | `command_lifecycle` for each prompt with a uuid, `started` before the `init` of its run | 2.1.206 |
 * | `init.user_message_uuids` | 2.1.301 |
 * | `result.user_message_uuids` | 2.1.259 |
 * | `result.origin` on the CLI's own runs | 2.1.124 |
 * | echo of the prompt (`isReplay`, its uuid) before the `result`, unless a hook refused it or it is a slash command | all |
 */
export type Evidence =
  /** The CLI has read the prompt. */
  | { readonly kind: 'queued'; readonly prompt: string }
  /** The CLI has taken the prompt up, in a new run or in the one that is under way. */
  | { readonly kind: 'taken'; readonly prompt: string; readonly by: 'lifecycle' | 'echo' }
  /** The CLI is done with the prompt. Without a run when it had not taken it up. */
  | { readonly kind: 'settled'; readonly prompt: string }
  | { readonly kind: 'run-started'; readonly prompts: readonly string[] }
  /** `byCli`: the CLI had started the run on its own. `uuid` is that of the result. */
  | {
      readonly kind: 'run-ended';
      readonly prompts: readonly string[];
      readonly byCli: boolean;
      readonly uuid: string | undefined;
    };

/** What a frame reveals; undefined for nearly all frames. */
export function evidenceOf(message: Message): Evidence | undefined {
  switch (message.type) {
    case 'command_lifecycle':
      return lifecycleEvidence(message.command_uuid, message.state);
    case 'user':
      if (message.isReplay !== true || typeof message.uuid !== 'string') return undefined;
      return { kind: 'taken', prompt: message.uuid, by: 'echo' };
    case 'system':
      return message.subtype === 'init' ? { kind: 'run-started', prompts: promptsOf(message) } : undefined;
    case 'result':
      return {
        kind: 'run-ended',
        prompts: promptsOf(message),
        byCli: hasOtherOrigin(message),
        uuid: stringField(message, 'uuid'),
      };
    default:
      return undefined;
  }
}

function lifecycleEvidence(prompt: unknown, state: unknown): Evidence | undefined {
  if (typeof prompt !== 'string') return undefined;
  if (state === 'queued') return { kind: 'queued', prompt };
  if (state === 'started') return { kind: 'taken', prompt, by: 'lifecycle' };
  return { kind: 'settled', prompt };
}

/** The prompts that a frame names as its own. */
function promptsOf(message: object): readonly string[] {
  const many = field(message, 'user_message_uuids');
  const names = Array.isArray(many) ? many : [field(message, 'user_message_uuid')];
  return names.filter((name) => typeof name === 'string');
}

function hasOtherOrigin(message: object): boolean {
  const kind = field(field(message, 'origin'), 'kind');
  return kind !== undefined && kind !== 'user' && kind !== 'human';
}
