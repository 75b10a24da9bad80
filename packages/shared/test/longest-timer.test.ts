import { afterEach, describe, expect, it } from 'vitest';
import { LONGEST_TIMER_MS } from '../src/longest-timer.ts';

describe('LONGEST_TIMER_MS', () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);

  afterEach(() => {
    process.off('warning', note);
  });

  it('is the longest delay that setTimeout() accepts', async () => {
    process.on('warning', note);
    clearTimeout(setTimeout(() => {}, LONGEST_TIMER_MS));
    await warningsSent();
    expect(warnings).not.toContain('TimeoutOverflowWarning');
    clearTimeout(setTimeout(() => {}, LONGEST_TIMER_MS + 1));
    await warningsSent();
    expect(warnings).toContain('TimeoutOverflowWarning');
  });
});

/** Node emits warnings on the next tick. */
function warningsSent(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
