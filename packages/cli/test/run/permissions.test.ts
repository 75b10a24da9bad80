import type { CallbackContext, PermissionRequest, PermissionResult } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { plain } from '../../src/render/paint.ts';
import { askOnTerminal } from '../../src/run/permissions.ts';
import { Asker } from '../../src/terminal/ask.ts';
import { Screen } from '../../src/terminal/screen.ts';
import { type FakeTerminal, fakeTerminal } from '../terminal/fake-terminal.ts';

describe('a request on a terminal', () => {
  it('[L-1] with hidden lines can be allowed only after everything was shown', async () => {
    const command = Array.from({ length: 30 }, (_, at) => (at === 20 ? 'rm -rf ~' : `echo ${at}`)).join('\n');
    const request = ask(command);
    await expect.poll(() => request.screen.text).toMatch(/Press v, n, w or s:$/);
    expect(request.screen.text).not.toContain('rm -rf ~');
    request.press('y');
    request.press('v');
    await expect.poll(() => request.screen.text).toMatch(/Press y, n, w or s:$/);
    expect(request.screen.text).toContain('rm -rf ~');
    request.press('y');
    expect(await request.decision).toMatchObject({ decision: 'allow' });
    expect(request.refused).toEqual([]);
  });

  it('[L-2] is reported as refused when the user refuses it', async () => {
    const request = ask('ls');
    await expect.poll(() => request.screen.text).toMatch(/Press y, a, n, w or s:$/);
    request.press('n');
    expect(await request.decision).toMatchObject({ decision: 'deny' });
    expect(request.refused).toEqual(['tool-1']);
  });
});

interface Asked extends Pick<FakeTerminal, 'screen' | 'press'> {
  readonly refused: readonly string[];
  readonly decision: Promise<PermissionResult>;
}

/** Asks about a command on a terminal in memory. */
function ask(command: string): Asked {
  const { terminal, screen, press } = fakeTerminal(60, 60);
  const refused: string[] = [];
  const canUseTool = askOnTerminal({
    asker: new Asker(terminal, plain),
    screen: new Screen(terminal, { status: false }),
    alone: (question) => question(),
    refused: (id) => void refused.push(id),
    cancelled: () => {},
  });
  // The fields of a request and of its context that the terminal reads.
  const request = { id: 'r', kind: 'tool', toolName: 'Bash', toolUseId: 'tool-1', input: { command }, suggestions: [] };
  const context = { signal: new AbortController().signal };
  const decision = canUseTool(request as unknown as PermissionRequest, context as CallbackContext);
  return { screen, press, refused, decision: Promise.resolve(decision) };
}
