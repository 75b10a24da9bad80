import { startedBrowser } from './started-browser.ts';
import { waterfallSuite } from './waterfall.suite.ts';

const browser = startedBrowser();

waterfallSuite(browser);
