import { describe, expect, it } from 'vitest';
import * as guards from '../../src/messages/guards.ts';
import type { Message } from '../../src/wire/messages.ts';
import { messagesOf } from './recordings.ts';

const recorded = messagesOf('H-partial-text-thinking-tool.325');
const count = (is: (message: Message) => boolean): number => recorded.filter(is).length;

describe('guards', () => {
  it('[M-4] tell the messages of a recording apart', () => {
    expect({
      assistant: count(guards.isAssistant),
      user: count(guards.isUser),
      init: count(guards.isInit),
      system: count(guards.isSystem),
      result: count(guards.isResult),
      streamEvent: count(guards.isStreamEvent),
      rateLimit: count(guards.isRateLimitEvent),
    }).toEqual({ assistant: 6, user: 1, init: 2, system: 10, result: 2, streamEvent: 41, rateLimit: 0 });
    expect(recorded.length).toBe(6 + 1 + 10 + 2 + 41);
  });

  it('[M-4] know a rate limit event', () => {
    const message = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'allowed' },
      uuid: '',
      session_id: '',
    } as const;
    expect(guards.isRateLimitEvent(message)).toBe(true);
  });
});
