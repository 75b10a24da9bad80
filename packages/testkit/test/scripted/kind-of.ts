import type { JsonObject } from '../../src/json.ts';

/** The kind of a frame, as far as the order of frames depends on it. */
export function kindOf(frame: JsonObject): string {
  const part = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const blocks = part(frame.message, 'content');
  const content = Array.isArray(blocks) ? blocks.map((block) => part(block, 'type')).join('+') : typeof blocks;
  switch (frame.type) {
    case 'assistant':
      return `assistant ${content}`;
    case 'user':
      return `user ${content}${frame.isReplay === true ? ' replay' : ''}`;
    case 'stream_event':
      return ['stream_event', part(frame.event, 'type'), part(part(frame.event, 'delta'), 'type')]
        .filter(Boolean)
        .join(' ');
    case 'control_request': {
      const { request } = frame;
      const what = part(part(request, 'input'), 'hook_event_name') ?? part(part(request, 'message'), 'method');
      return ['control_request', part(request, 'subtype'), what].filter(Boolean).join(' ');
    }
    case 'control_response':
      return `control_response ${part(frame.response, 'subtype')}`;
    default:
      return [frame.type, frame.subtype ?? frame.state].filter(Boolean).join(' ');
  }
}
