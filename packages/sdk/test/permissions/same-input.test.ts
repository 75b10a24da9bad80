import { expect, it } from 'vitest';
import { allow, modifyInput } from '../../src/hooks/outcome.ts';
import { decodePermission } from '../../src/permissions/decode.ts';
import { encodePermission } from '../../src/permissions/encode.ts';
import type { CanUseTool, PermissionResult } from '../../src/permissions/request.ts';
import { writeRequest } from './permission-desk.ts';

// What people write who come from elsewhere; that it compiles is half of the test.
const asGiven: CanUseTool = ({ input }) => allow({ updatedInput: input });
const inTheOwnForm: CanUseTool = ({ input }) => ({ behavior: 'allow', updatedInput: input });

it.each([
  ['with allow()', asGiven],
  ["in the CLI's form", inTheOwnForm],
])('[P-2] the input of a request can be given back as it came, %s', async (_, canUseTool) => {
  const decoded = decodePermission('1', writeRequest);
  if (!decoded.ok) throw new Error(decoded.problem);
  const context = { signal: new AbortController().signal } as Parameters<CanUseTool>[1]; // Neither looks at it.
  const given: PermissionResult = await canUseTool(decoded.request, context);
  expect(encodePermission(decoded.request, given)).toMatchObject({
    ok: true,
    response: { behavior: 'allow', updatedInput: writeRequest.input },
  });
  expect(modifyInput(decoded.request.input)).toEqual({ decision: 'modifyInput', input: writeRequest.input });
});
