// npm run do -- bench:inspector: figures of the inspector's page in a real browser. Needs the built packages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { askInspector, inspect } from '@coxswain/inspector';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { entryOf, sampleStage, whole } from '../../packages/inspector/test/browser/staged-samples.ts';
import { StagedServer } from '../../packages/inspector/test/browser/staged-server.ts';
import { openBrowser } from '../fetch/browser.mjs';

const PAGE = fileURLToPath(new URL('../../packages/inspector/dist/page', import.meta.url));
const MESSAGES = 100_000;
const SESSIONS = 200;
const EVENTS = 200;

const browser = await openBrowser(['--enable-precise-memory-info']);
try {
  weigh();
  await firstPaint();
  await eventToPixel();
  await longTranscript();
  await manySessions();
} finally {
  await browser.close();
}

/** The gzipped downloads of the browser: what the page names is loaded with the first view, and the rest when it is needed. */
function weigh() {
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const files = readdirSync(PAGE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => ({
    name,
    size: gzipSync(readFileSync(join(parentPath, name))).length,
  }));
  const sum = (/** @type {typeof sizes} */ list) => list.reduce((total, { size }) => total + size, 0);
  const isFirst = (/** @type {string} */ name) =>
    name === 'index.html' || (html.includes(name) && !name.endsWith('.png'));
  const first = sum(sizes.filter(({ name }) => isFirst(name)));
  const isFont = (/** @type {string} */ name) => name.endsWith('.woff2');
  const fonts = sum(sizes.filter(({ name }) => isFont(name) && !name.includes('-more')));
  const all = sum(sizes.filter(({ name }) => !isFont(name)));
  print('page weight, gzipped', `${kb(first)} for the first view (limit 80 KB), ${kb(all)} with all views`);
  print('fonts, which no text waits for', kb(fonts));
}

async function firstPaint() {
  const times = [];
  for (let round = 0; round < 5; round++) {
    const { page, close } = await show(sampleStage(8, Date.now()), '#/c/c0');
    await page.locator('.entry').first().waitFor();
    const [paint, content] = await page.evaluate(() => {
      const at = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
      return [at, performance.now()];
    });
    times.push({ paint, content });
    await close();
  }
  const median = (/** @type {number[]} */ list) => quantile(list, 0.5);
  const paint = Math.round(median(times.map((time) => time.paint)));
  print(
    'first paint, a cold page',
    `${paint} ms; transcript there after at most ${Math.round(median(times.map((time) => time.content)))} ms (medians of 5)`,
  );
}

/** Time from the server's write to the frame that shows it. */
async function eventToPixel() {
  const { page, server, close } = await show(quiet(sampleStage(8, Date.now())), '#/c/c0');
  await page.locator('.entry').first().waitFor();
  const start = server.stage.total('c0');
  const delays = [];
  for (let at = 0; at < EVENTS; at++) {
    const seen = page.evaluate(
      (text) =>
        new Promise((found) => {
          const look = () => {
            if (document.querySelector('.virtual-window')?.lastElementChild?.textContent === text)
              found(performance.timeOrigin + performance.now());
            else requestAnimationFrame(look);
          };
          look();
        }),
      `Event ${at}`,
    );
    const sent = performance.timeOrigin + performance.now();
    server.push({ type: 'entry', conversation: 'c0', entry: message(start + at, `Event ${at}`) });
    delays.push(Number(await seen) - sent);
  }
  print(
    'event to pixel',
    `p50 ${quantile(delays, 0.5).toFixed(0)} ms, p95 ${quantile(delays, 0.95).toFixed(0)} ms (${EVENTS} events)`,
  );
  await close();
}

async function longTranscript() {
  const stage = quiet(sampleStage(1, Date.now()));
  stage.total = () => MESSAGES;
  stage.entry = (_id, n) =>
    message(n, `Message ${n}: **bold** and \`code\`.\n\n${'A sentence of the answer. '.repeat(n % 7)}`);
  const { page, close } = await show(stage, '#/c/c0');
  await page.getByText(`Message ${MESSAGES - 1}`).waitFor();
  const { frames, slow, ms } = await page.evaluate(scrollFor, 6_000);
  const fps = (frames / ms) * 1_000;
  print(
    `${MESSAGES.toLocaleString('en-US')} messages scrolled`,
    `${fps.toFixed(0)} frames/s, ${slow} of ${frames} frames longer than 50 ms (limit 50 frames/s)`,
  );
  print('memory of that tab', `${await memory(page)} (limit 300 MB)`);
  await close();
}

async function manySessions() {
  const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(' ');
  const sessions = Array.from({ length: SESSIONS }, () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say(words, { everyMs: 100 })));
    return openSession({ transport, includePartialMessages: true, canUseTool: askInspector() });
  });
  const inspector = await inspect(sessions);
  const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1440, height: 900 } });
  await page.goto(inspector.url);
  sessions.forEach(
    (session, at) =>
      void session
        .send(`Session ${at}`)
        .result()
        .catch(() => {}),
  );
  await page.locator('.filter', { hasText: 'Running' }).getByText(String(SESSIONS)).waitFor({ timeout: 30_000 });
  await page.locator('.row').first().click();
  await page.locator('.answer').waitFor({ timeout: 30_000 });
  const { frames, slow, ms } = await page.evaluate(countFrames, 5_000);
  print(
    `${SESSIONS} live sessions, 10 words/s each`,
    `${((frames / ms) * 1_000).toFixed(0)} frames/s, ${slow} of ${frames} frames longer than 50 ms; ${await memory(page)}`,
  );
  await page.close();
  await Promise.all(sessions.map((session) => session.close()));
  await inspector.close();
}

/** In the page: scrolls up and counts frames. */
async function scrollFor(/** @type {number} */ length) {
  const scroller = document.querySelector('.scroller');
  const start = performance.now();
  let frames = 0;
  let slow = 0;
  for (let last = start; last - start < length; frames++) {
    await new Promise((frame) => requestAnimationFrame(frame));
    scroller?.scrollBy(0, -120);
    const now = performance.now();
    if (now - last > 50) slow++;
    last = now;
  }
  return { frames, slow, ms: performance.now() - start };
}

/** In the page: counts frames. */
async function countFrames(/** @type {number} */ length) {
  const start = performance.now();
  let frames = 0;
  let slow = 0;
  for (let last = start; last - start < length; frames++) {
    await new Promise((frame) => requestAnimationFrame(frame));
    const now = performance.now();
    if (now - last > 50) slow++;
    last = now;
  }
  return { frames, slow, ms: performance.now() - start };
}

/** @param {import('playwright-core').Page} page */
async function memory(page) {
  const heap = await page.evaluate(() => {
    // Chromium only, hence not in the types.
    const { memory } = /** @type {{ memory?: { usedJSHeapSize: number } }} */ (/** @type {unknown} */ (performance));
    return memory?.usedJSHeapSize ?? 0;
  });
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMb(id));
  return `${Math.round(heap / 1e6)} MB JavaScript heap, ${Math.max(0, ...sizes)} MB resident`;
}

/** @param {number} pid */
function residentMb(pid) {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}

/**
 * @param {import('../../packages/inspector/test/browser/staged-server.ts').Stage} stage
 * @param {string} view
 */
async function show(stage, view) {
  const server = new StagedServer(stage);
  const url = await server.start();
  const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}${view}`);
  return {
    page,
    server,
    close: async () => {
      await page.close();
      await server.stop();
    },
  };
}

/** @param {import('../../packages/inspector/test/browser/staged-server.ts').Stage} stage */
function quiet(stage) {
  stage.approvals = [];
  return stage;
}

/**
 * @param {number} n
 * @param {string} text
 */
function message(n, text) {
  return entryOf(n, n * 1_000, {
    kind: /** @type {const} */ ('text'),
    text: whole(text),
    model: null,
    streaming: false,
  });
}

/**
 * @param {number[]} values
 * @param {number} q
 */
function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** @param {number} bytes */
function kb(bytes) {
  return `${(bytes / 1_000).toFixed(1)} KB`;
}

/**
 * @param {string} what
 * @param {string} figure
 */
function print(what, figure) {
  console.log(`${what.padEnd(40)} ${figure}`);
}
