// node --import tsx scripts/docs/inspector-screenshots.mjs: the pictures of the inspector in README and guide, from the agents of
// `npm run demo:ui` in a real browser. Needs the built packages.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../fetch/browser.mjs';
import { ensureInstalled } from '../fetch/tool.mjs';

const FONTS = fileURLToPath(new URL('../../tools/fonts', import.meta.url));
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const WIDE = { width: 1240, height: 740 };
const PHONE = { width: 390, height: 844 };

useFonts();
const { askInspector, inspect } = await import('@coxswain/inspector');
const { inMemoryCli } = await import('@coxswain/testkit');
const { openSession } = await import('coxswain');
const { demoAgents } = await import('../../examples/demo-ui-agents.ts');

const sessions = demoAgents(3).map(({ prompt, agent }) => {
  const session = openSession({
    transport: inMemoryCli(agent).transport,
    includePartialMessages: true,
    canUseTool: askInspector(),
  });
  return { session, prompt };
});
const inspector = await inspect(sessions.map(({ session }) => session));
const browser = await openBrowser();
try {
  for (const { session, prompt } of sessions)
    session
      .send(prompt)
      .result()
      .catch(() => {});
  await shoot('inspector-light.png', { viewport: WIDE, colorScheme: 'light' }, async (page) => {
    await page.locator('.row', { hasText: 'stroke rate' }).click();
    await page.locator('.dock .card', { hasText: 'Edit' }).waitFor();
    await page.locator('.row', { hasText: 'Idle' }).nth(2).waitFor();
    // Ages and durations are those of a request that has waited for a moment.
    await page.waitForTimeout(6_000);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('.spans').first().waitFor();
  });
  await shoot('inspector-phone.png', { viewport: PHONE, colorScheme: 'light', deviceScaleFactor: 2 }, async (page) => {
    await page.locator('.row', { hasText: 'stroke rate' }).click();
    await page.locator('.dock .card', { hasText: 'Edit' }).waitFor();
  });
  await shoot('inspector-dark.png', { viewport: WIDE, colorScheme: 'dark' }, async (page) => {
    await page.locator('.row', { hasText: 'stroke rate' }).click();
    await page.locator('.dock .card', { hasText: 'Edit' }).waitFor();
    await page.waitForTimeout(1_000);
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.locator('.dock .card', { hasText: 'git push' }).waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('.spans').first().waitFor();
  });
} finally {
  await browser.close();
  await Promise.all(sessions.map(({ session }) => session.close()));
  await inspector.close();
}

/**
 * @param {string} name
 * @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: import('playwright-core').Page) => Promise<void>} arrange
 */
async function shoot(name, options, arrange) {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(inspector.url);
  await arrange(page);
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
  const { length } = await page.screenshot({ path: join(IMAGES, name) });
  console.log(`${name}: ${Math.round(length / 1_000)} KB`);
  await context.close();
}

/** The page has its own fonts for Latin scripts; Arabic comes from here instead of from this machine. */
function useFonts() {
  ensureInstalled(FONTS, 'the fonts of tools/fonts');
  const folder = mkdtempSync(join(tmpdir(), 'cox-fonts-'));
  const file = join(folder, 'fonts.conf');
  const content = `<dir>${FONTS}/node_modules/@expo-google-fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}</cachedir>`;
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${content}</fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
}
