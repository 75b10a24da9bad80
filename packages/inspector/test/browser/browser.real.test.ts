import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from '../../../../scripts/browser.mjs';
import { accessSuite } from './access.suite.ts';
import { actionsSuite } from './actions.suite.ts';
import { approvalsSuite } from './approvals.suite.ts';
import { connectionSuite } from './connection.suite.ts';
import { diskSuite } from './disk.suite.ts';
import { hostileSuite } from './hostile.suite.ts';
import { lastingSuite } from './lasting.suite.ts';
import { lateAnswersSuite } from './late-answers.suite.ts';
import { liveSuite } from './live.suite.ts';
import { loginSuite } from './login.suite.ts';
import { longListSuite } from './long-list.suite.ts';
import { programsSuite } from './programs.suite.ts';
import { queuesSuite } from './queues.suite.ts';
import { readingSuite } from './reading.suite.ts';
import { realCliSuite } from './real-cli.suite.ts';
import { replaySuite } from './replay.suite.ts';
import { rewrittenSuite } from './rewritten.suite.ts';
import { scaleSuite } from './scale.suite.ts';

// One browser for all suites; each test opens pages of its own.
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
});

function running(): Browser {
  if (browser === undefined) throw new Error('The browser has not started.');
  return browser;
}

approvalsSuite(running);
actionsSuite(running);
liveSuite(running);
connectionSuite(running);
lastingSuite(running);
lateAnswersSuite(running);
longListSuite(running);
readingSuite(running);
rewrittenSuite(running);
diskSuite(running);
loginSuite(running);
programsSuite(running);
queuesSuite(running);
replaySuite(running);
realCliSuite(running);
hostileSuite(running);
scaleSuite(running);
accessSuite(running);
