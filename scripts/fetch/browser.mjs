// A real Chromium for the inspector: its tests, screenshots and figures. tools/browser/ has its exact version.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled } from './tool.mjs';

const FOLDER = fileURLToPath(new URL('../../tools/browser', import.meta.url));

/** Headless, even as root, without a GPU and without requests to its vendor. Web security stays enabled. */
const ARGS = [
  '--no-sandbox',
  '--in-process-gpu',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  '--lang=en-US',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
];

/** Installs the browser if it is missing or older than its lockfile. */
export function ensureBrowser() {
  ensureInstalled(FOLDER, 'the browser of tools/browser');
}

/**
 * Starts the browser. The caller closes it.
 * @param {readonly string[]} [args] further switches
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function openBrowser(args = []) {
  ensureBrowser();
  const require = createRequire(resolve(FOLDER, 'package.json'));
  const { default: packed } = await import(pathToFileURL(require.resolve('@sparticuz/chromium')).href);
  const { chromium } = require('playwright-core');
  const executablePath = await packed.executablePath();
  return chromium.launch({ executablePath, headless: true, args: [...ARGS, ...args], timeout: 30_000 });
}

/** The source of axe-core, to be run in a page. */
export function axePath() {
  return resolve(FOLDER, 'node_modules/axe-core/axe.min.js');
}
