import { actionsSuite } from './actions.suite.ts';
import { approvalsSuite } from './approvals.suite.ts';
import { cardSuite } from './card.suite.ts';
import { diffsSuite } from './diffs.suite.ts';
import { markedCardSuite } from './marked-card.suite.ts';
import { meantKeysSuite } from './meant-keys.suite.ts';
import { realCliSuite } from './real-cli.suite.ts';
import { startedBrowser } from './started-browser.ts';
import { unseenSuite } from './unseen.suite.ts';

// The suites are in three files, which run in parallel.
const browser = startedBrowser();

approvalsSuite(browser);
cardSuite(browser);
unseenSuite(browser);
markedCardSuite(browser);
meantKeysSuite(browser);
diffsSuite(browser);
actionsSuite(browser);
realCliSuite(browser);
