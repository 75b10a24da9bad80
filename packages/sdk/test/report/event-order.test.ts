import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import type { RunEvent } from '../../src/report/events.ts';
import type { RunObserver } from '../../src/report/run-observer.ts';
import { sessionOf } from '../../src/session/session.ts';
import { start } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';

/** Records events in a list. */
function noting(seen: string[], note: (event: RunEvent) => string | undefined): RunObserver {
  return {
    opened: () => ({
      message: ({ message }) => void seen.push(message.type),
      event: (event) => {
        const noted = note(event);
        if (noted !== undefined) seen.push(noted);
      },
    }),
  };
}

const ofPermission = ({ type }: RunEvent): string | undefined => (type.startsWith('permission') ? type : undefined);
const ORDER = ['permission-requested', 'permission-answered'];

describe('an observer that acts in its callback', () => {
  it('[S-16, S-4] and answers in event() does not change the order for others: the request precedes the answer', async () => {
    const before: string[] = [];
    const after: string[] = [];
    const called: string[] = [];
    const logged: string[] = [];
    const answering: RunObserver = {
      opened: (run) => ({
        event: (event) => {
          if (event.type !== 'permission-requested') return;
          void sessionOf(run)?.answerPermission(event.request.id, allow());
        },
      }),
    };
    const log = (_: object, message: string): void => void logged.push(message.replace('coxswain: ', ''));
    const { session, cli } = await start({
      canUseTool: () => new Promise(() => {}),
      observers: [noting(before, ofPermission), answering, noting(after, ofPermission)],
      onEvent: ({ type }) => void called.push(type),
      logger: { trace: log, debug: log, info: log, warn: log, error: log },
    });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.askPermission('p1');
    await cli.answered('p1');
    cli.finish(prompt);
    await turn.result();
    for (const seen of [before, after, called, logged]) {
      expect(seen.filter((what) => what.startsWith('permission'))).toEqual(ORDER);
    }
  });

  it('[S-16, S-4] and interrupts in message() does not change the order for others: the message precedes the request', async () => {
    const seen: string[] = [];
    const interrupting: RunObserver = {
      opened: (run) => ({
        message: ({ message }) => {
          if (message.type === 'assistant') void sessionOf(run)?.interrupt();
        },
      }),
    };
    const { session, cli } = await start({
      observers: [interrupting, noting(seen, (event) => (event.type === 'request-sent' ? event.kind : undefined))],
    });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.say(assistant('hi'));
    await cli.got('interrupt');
    cli.finish(prompt);
    await turn.result();
    expect(seen.filter((what) => what === 'assistant' || what === 'interrupt')).toEqual(['assistant', 'interrupt']);
  });
});
