import { expect, it, vi } from 'vitest';
import type { CallbackAnswer } from '../../src/callbacks/callback-request.ts';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { AskedAgain } from '../../src/park/asked-again.ts';
import { requestHash } from '../../src/park/parked-request.ts';

it('[G-9] every answer gets a note if a CLI requests the parked call twice', () => {
  const call = { toolName: 'Bash', input: { command: 'ls' }, toolUseId: 'toolu_1' };
  const request = { ...call, id: 'r', kind: 'tool', suggestions: [], raw: {} } as PermissionRequest;
  const note = vi.fn();
  const again = new AskedAgain(
    { sessionId: 's', request, hash: requestHash(request) },
    { isGuarded: () => true, note, fail: (error) => expect.unreachable(error.message) },
  );
  expect([again.judge('one', request), again.judge('two', request)]).toEqual(['same', 'same']);
  const answer = { response: { behavior: 'allow' } } as unknown as CallbackAnswer;
  const write = vi.fn();
  again.settle('one', answer, write);
  again.settle('two', answer, write);
  expect(note).toHaveBeenCalledTimes(2);
  expect(write).not.toHaveBeenCalled();
});
