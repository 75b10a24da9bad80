import { describe, expect, it } from 'vitest';
import { mentions } from '../../src/conversations/mentions.ts';
import { sampleStage } from '../browser/staged-samples.ts';

describe('mentions', () => {
  const [conversation] = sampleStage(1, 0).conversations;
  if (conversation === undefined) throw new Error('The stage has a conversation.');

  it('[I-1] finds words in any order and in different fields', () => {
    for (const text of ['', 'flaky', 'MODULE fix', 'flaky sonnet', 'rowing flaky', conversation.sessionId ?? '-']) {
      expect(mentions(conversation, text), text).toBe(true);
    }
  });

  it('[I-1] requires every word', () => {
    expect(mentions(conversation, 'flaky oar')).toBe(false);
  });
});
