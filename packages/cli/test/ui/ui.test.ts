import { describe, expect, it } from 'vitest';
import { runCox } from '../run-cox.ts';
import { conversationsAt, startUi } from './start-ui.ts';

describe('cox ui', () => {
  it('[I-1, L-2] prints its URL on stdout, shows the demo and exits on Ctrl-C with 0', async () => {
    const { line, ended, interrupt } = await startUi(['--demo', '--port', '0']);
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect((await conversationsAt(line)).map(({ kind }) => kind)).toEqual(['process', 'process', 'process', 'process']);
    interrupt();
    expect(await ended).toBe(0);
  });

  it('[I-4, L-2] refuses a network address without allowed hosts and a token, and a missing file', async () => {
    const open = await runCox(['ui', '--host', '0.0.0.0']);
    expect([open.code, open.stdout]).toEqual([2, '']);
    expect(open.stderr).toMatch(/--host .*--allowed-host/);
    expect(open.stderr).toMatch(/--host .*--token.*COX_UI_TOKEN/);
    const missing = await runCox(['ui', '/nowhere.ndjson']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('/nowhere.ndjson');
    const folder = await runCox(['ui', '--cwd', '/no/such/folder']);
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('there is no folder /no/such/folder')]);
  });
});
