import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axePath } from '../../../../scripts/fetch/browser.mjs';

/** A page of the inspector in a real browser. Closing it fails if the page had an error. */
export class OpenedPage implements AsyncDisposable {
  readonly page: Page;
  readonly problems: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (message) => {
      // The browser itself reports a refused connection; tests of lost connections cause it on purpose.
      if (message.type() === 'error' && !/Failed to load resource|ERR_CONNECTION/.test(message.text())) {
        this.problems.push(message.text());
      }
    });
  }

  /** Opens a URL in a separate context, like another person's browser. */
  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options });
    const opened = new OpenedPage(await context.newPage());
    await opened.page.goto(url);
    return opened;
  }

  /** Waits for a text on the page. */
  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until the text is no longer on the page. */
  async seeNot(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor({ state: 'hidden' });
  }

  async click(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).filter({ visible: true }).first().click();
  }

  /** Presses a key that opens or chooses a field, and types into the field once it has the focus. */
  async typeAfter(key: string, text: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.page.locator('input:focus, textarea:focus').waitFor();
    await this.page.keyboard.type(text);
  }

  /** Opens a conversation of the list by its title. */
  async choose(title: string): Promise<void> {
    await this.page.locator('.row', { hasText: title }).click();
    await this.page.locator('.head h2', { hasText: title }).waitFor();
  }

  /** Waits until cards accept keys and clicks: they do not in their first 300 ms. */
  async cardSettled(): Promise<void> {
    await this.page.locator('.card').first().waitFor();
    await this.page.evaluate(() => new Promise((settled) => setTimeout(settled, 350)));
  }

  /** Presses a key at the moment when the page has this number of cards. */
  async pressOnceCardsAre(count: number, key: string): Promise<void> {
    await this.page.evaluate(
      ([cards, pressed]) => {
        new MutationObserver((_, observer) => {
          if (document.querySelectorAll('.card').length !== cards) return;
          observer.disconnect();
          document.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
        }).observe(document.body, { childList: true, subtree: true });
      },
      [count, key] as const,
    );
  }

  /** Fails if the page violates an accessibility rule; all rules by default. */
  async expectAccessible(rules: readonly string[] = []): Promise<void> {
    const only = rules.length === 0 ? '' : `, runOnly: ${JSON.stringify(rules)}`;
    // Evaluated by the driver: the page's policy blocks foreign scripts.
    const found = await this.page.evaluate(`(async () => {
      ${await axeSource()};
      const { violations } = await axe.run(document, { resultTypes: ['violations']${only} });
      return violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).slice(0, 3).join(' | '));
    })()`);
    expect(found).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
    expect(this.problems).toEqual([]);
  }
}

let axe: Promise<string> | undefined;

function axeSource(): Promise<string> {
  axe ??= import('node:fs/promises').then(({ readFile }) => readFile(axePath(), 'utf8'));
  return axe;
}
