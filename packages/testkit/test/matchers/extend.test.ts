import { describe, expect, it } from 'vitest';
import { type CoxswainMatchers, coxswainMatchers } from '../../src/matchers/matchers.ts';
import { assistantMessage, toolUseMessage } from '../../src/messages/assistant.ts';
import { resultMessage } from '../../src/messages/result.ts';

declare module 'vitest' {
  interface Matchers<T> extends CoxswainMatchers<T> {}
}

expect.extend(coxswainMatchers);

const messages = [toolUseMessage('Bash', { command: 'ls' }), assistantMessage('Done.'), resultMessage('Done.')];

describe('expect.extend(coxswainMatchers)', () => {
  it('[K-4] adds the matchers to vitest, with types', () => {
    expect(messages).toHaveUsedTool('Bash', { command: 'ls' });
    expect(messages).not.toHaveUsedTool('Write');
    expect(messages).toHaveCompleted('Done.');
  });

  it('[K-4] fails with the same messages', () => {
    expect(() => expect(messages).toHaveUsedTool('Write')).toThrow(
      "Expected the model to have used Write.\n\nTool calls:\n  Bash { command: 'ls' }: called",
    );
  });

  it('[K-4] works on promises', async () => {
    await expect(Promise.resolve(messages)).resolves.toHaveSaid('Done.');
  });
});
