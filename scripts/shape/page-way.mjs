// The way of a message to the inspector's page, up to the bytes that the server writes.
import { ServerResponse } from 'node:http';
import { inspect } from '@coxswain/inspector';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { Browser } from '../../packages/inspector/test/support/browser.ts';
import { Gate } from './held-transport.mjs';
import { begin, end } from './recorder.mjs';

/** Longer than the event stream collects changes for one write. */
const NEXT_WRITE_MS = 100;

export async function messageToPage() {
  const gate = new Gate();
  const cli = inMemoryCli(script().otherwise((turn) => turn.say('One.').say('Two.')));
  const session = openSession({ transport: () => gate.around(cli.transport()) });
  const inspector = await inspect(session, { announce: false });
  const browser = await new Browser(inspector).login();
  await session.ready;
  const [conversation] = await browser.conversations();
  const events = browser.events(`?watch=${conversation?.id}`);
  await events.until(({ type }) => type === 'snapshot');
  const held = gate.hold(/"text":"Two\."/);
  const done = session.send('Go').collect();
  await held;
  await events.until((event) => JSON.stringify(event).includes('One.'));
  await new Promise((resolve) => setTimeout(resolve, NEXT_WRITE_MS));
  const written = untilResponse(/Two\./);
  begin();
  gate.releaseOne();
  const recording = await written;
  gate.release();
  await done;
  browser.close();
  await inspector.close();
  await session.close();
  return recording;
}

/**
 * Resolves with the calls up to the moment in which the server writes a text that matches.
 * @param {RegExp} pattern
 * @returns {Promise<import('./recorder.mjs').Recording>}
 */
function untilResponse(pattern) {
  const { write } = ServerResponse.prototype;
  return new Promise((resolve) => {
    ServerResponse.prototype.write = new Proxy(write, {
      apply: (target, response, args) => {
        if (pattern.test(Buffer.from(args[0]).toString())) {
          ServerResponse.prototype.write = write;
          resolve(end());
        }
        return Reflect.apply(target, response, args);
      },
    });
  });
}
