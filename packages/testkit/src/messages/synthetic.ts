import type { ApiMessage } from 'coxswain/types';
import { syntheticUsage } from './usage.ts';

/** The API message inside a message that the CLI wrote itself, instead of the model. */
export function syntheticApiMessage(id: string, text: string): ApiMessage {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text }],
    container: null,
    diagnostics: null,
    stop_details: null,
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    usage: syntheticUsage,
    context_management: null,
  };
}
