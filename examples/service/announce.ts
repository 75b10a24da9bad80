import { createInterface } from 'node:readline';
import type { Waiting } from './approvals.ts';

// #region webhook
/** Sends what waits to a chat or a pager. A person answers on the page, which has the whole input. */
export function toWebhook(url: string): (waiting: Waiting) => void {
  return (waiting) => {
    fetch(url, { method: 'POST', body: JSON.stringify(waiting), signal: AbortSignal.timeout(5_000) })
      .then((response) => response.body?.cancel())
      .catch((error: unknown) => console.error('The webhook failed:', error)); // the page and the terminal still show it
  };
}
// #endregion

// #region terminal
/** Shows what waits in this terminal; `y 3f2a` or `n 3f2a` answers the one whose hash begins so. */
export function terminal(answer: (hash: string, answer: object) => Promise<unknown>): (waiting: Waiting) => void {
  const shown = new Set<string>();
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [, word, start = ''] = /^([yn]) ([0-9a-f]{4,64})$/.exec(line) ?? [];
    const [hash, ...others] = [...shown].filter((one) => one.startsWith(start));
    if (!word || !hash || others.length > 0) return console.log('y <hash> or n <hash>');
    shown.delete(hash);
    const given = word === 'y' ? { decision: 'allow' } : { decision: 'deny', message: 'A person said no.' };
    answer(hash, given).catch(console.error);
  });
  return ({ customer, hash, tool, input }) => {
    shown.add(hash);
    console.log(`${hash.slice(0, 8)} ${customer}: ${tool} ${JSON.stringify(input)}`);
  };
}
// #endregion
