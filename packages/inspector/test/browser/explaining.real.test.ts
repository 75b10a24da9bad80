import { changesSuite } from './changes.suite.ts';
import { startedBrowser } from './started-browser.ts';

const browser = startedBrowser();

changesSuite(browser);
