import { connectionSuite } from './connection.suite.ts';
import { diskSuite } from './disk.suite.ts';
import { lastingSuite } from './lasting.suite.ts';
import { lateAnswersSuite } from './late-answers.suite.ts';
import { liveSuite } from './live.suite.ts';
import { loginSuite } from './login.suite.ts';
import { outcomesSuite } from './outcomes.suite.ts';
import { programsSuite } from './programs.suite.ts';
import { queuesSuite } from './queues.suite.ts';
import { startedBrowser } from './started-browser.ts';

const browser = startedBrowser();

liveSuite(browser);
outcomesSuite(browser);
connectionSuite(browser);
lastingSuite(browser);
lateAnswersSuite(browser);
diskSuite(browser);
loginSuite(browser);
programsSuite(browser);
queuesSuite(browser);
