import { auditSuite } from './audit.suite.ts';
import { changesSuite } from './changes.suite.ts';
import { findingSuite } from './finding.suite.ts';
import { forkingSuite } from './forking.suite.ts';
import { mediaSuite } from './media.suite.ts';
import { reachSuite } from './reach.suite.ts';
import { startedBrowser } from './started-browser.ts';

const browser = startedBrowser();

auditSuite(browser);
changesSuite(browser);
findingSuite(browser);
forkingSuite(browser);
mediaSuite(browser);
reachSuite(browser);
