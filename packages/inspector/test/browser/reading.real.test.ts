import { accessSuite } from './access.suite.ts';
import { costsSuite } from './costs.suite.ts';
import { homeSuite } from './home.suite.ts';
import { hostileSuite } from './hostile.suite.ts';
import { longListSuite } from './long-list.suite.ts';
import { plainFactsSuite } from './plain-facts.suite.ts';
import { readingSuite } from './reading.suite.ts';
import { replaySuite } from './replay.suite.ts';
import { rewrittenSuite } from './rewritten.suite.ts';
import { scaleSuite } from './scale.suite.ts';
import { startedBrowser } from './started-browser.ts';
import { typeSuite } from './type.suite.ts';

const browser = startedBrowser();

accessSuite(browser);
readingSuite(browser);
costsSuite(browser);
homeSuite(browser);
plainFactsSuite(browser);
longListSuite(browser);
rewrittenSuite(browser);
replaySuite(browser);
hostileSuite(browser);
scaleSuite(browser);
typeSuite(browser);
