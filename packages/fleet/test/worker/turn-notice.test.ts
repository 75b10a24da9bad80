import { describe, expect, it } from 'vitest';
import { TurnNotice } from '../../src/worker/turn-notice.ts';

describe('a notice for the agent of a turn', () => {
  const given = (): { readonly notice: TurnNotice; readonly events: string[] } => {
    const events: string[] = [];
    const notice = new TurnNotice({ event: ({ kind, body }) => events.push(`${kind} ${body}`) });
    return { notice, events };
  };

  it('[F-52] is before its prompt, and an event for followers', () => {
    const { notice, events } = given();
    expect(notice.before('go')).toBe('go');
    notice.give('Files are gone.');
    expect(events).toEqual(['notice {"text":"Files are gone."}']);
    expect(notice.before('go')).toBe('Files are gone.\n\ngo');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const;
    expect(notice.before([image])).toEqual([{ type: 'text', text: 'Files are gone.' }, image]);
  });

  it('[F-52] changes no command, which must be alone in its prompt', () => {
    const { notice } = given();
    notice.give('Files are gone.');
    expect(notice.before('/compact')).toBe('/compact');
  });

  it('[F-52] is added to a resumed turn, which may have ended', async () => {
    const { notice } = given();
    const steered: unknown[] = [];
    const turn = {
      steer: async (content: unknown): Promise<void> => {
        steered.push(content);
        throw new Error('The turn has ended.');
      },
    };
    notice.pass(turn);
    notice.give('Files are gone.');
    notice.pass(turn);
    await Promise.resolve();
    expect(steered).toEqual(['Files are gone.']);
  });
});
