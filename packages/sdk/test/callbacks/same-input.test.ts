import { expect, it } from 'vitest';
import { allow, modifyInput } from '../../src/callbacks/decisions.ts';
import { decodePermission, encodePermission } from '../../src/callbacks/permission-codec.ts';
import type { CanUseTool, PermissionResult } from '../../src/callbacks/permission-request.ts';
import { writeRequest } from './permission-dispatcher.ts';

// Typical code of users of other SDKs; compiling it is half of the test.
const asGiven: CanUseTool = ({ input }) => allow({ updatedInput: input });
const inOwnFormat: CanUseTool = ({ input }) => ({ behavior: 'allow', updatedInput: input });

it.each([
  ['with allow()', asGiven],
  ["in the CLI's own format", inOwnFormat],
])('[P-2] the input of a request can be returned unchanged, %s', async (_, canUseTool) => {
  const decoded = decodePermission('1', writeRequest);
  if (!decoded.ok) throw new Error(decoded.problem);
  const context = { signal: new AbortController().signal } as Parameters<CanUseTool>[1]; // Neither callback uses it.
  const given: PermissionResult = await canUseTool(decoded.request, context);
  expect(encodePermission(decoded.request, given)).toMatchObject({
    ok: true,
    response: { behavior: 'allow', updatedInput: writeRequest.input },
  });
  expect(modifyInput(decoded.request.input)).toEqual({ decision: 'modifyInput', input: writeRequest.input });
});
