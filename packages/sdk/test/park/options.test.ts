import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { type ParkedRequest, requestHash } from '../../src/park/parked-request.ts';
import { type OpenSessionOptions, openSession } from '../../src/restart/open-session.ts';
import { memoryStore } from '../../src/store/memory-store.ts';

const request = {
  id: 'r1',
  kind: 'tool',
  toolName: 'Bash' as const,
  toolUseId: 'toolu_1',
  input: { command: 'ls', timeout: 1 },
};
const sessionId = '11111111-1111-4111-8111-111111111111';
// As read from a database.
const parked = JSON.parse(
  JSON.stringify({ sessionId, request, hash: requestHash(request), answer: allow() }),
) as unknown as ParkedRequest;

describe('the option parked', () => {
  it.each([
    ['not an object', 'parked', { parked: 'toolu_1' }],
    ['an unknown field', 'parked.sesionId', { parked: { ...parked, sesionId: '' } }],
    ['no conversation', 'parked.sessionId', { parked: { ...parked, sessionId: '' } }],
    ['a request without its call', 'parked.request', { parked: { ...parked, request: { ...request, toolUseId: 1 } } }],
    ['another hash', 'parked.hash', { parked: { ...parked, hash: 'f00' } }],
    [
      'another input',
      'parked.hash',
      { parked: { ...parked, request: { ...request, input: { command: 'rm', timeout: 1 } } } },
    ],
    ['neither an answer nor a canUseTool', 'parked', { parked: { ...parked, answer: undefined } }],
    ['no store', 'parked', { parked, sessionStore: undefined }],
    ['continue', 'continue', { parked, continue: true }],
    ['sessionId', 'sessionId', { parked, sessionId: '22222222-2222-4222-8222-222222222222' }],
    ['forkSession', 'forkSession', { parked, forkSession: true }],
    ['resumeAt', 'resumeAt', { parked, resumeAt: '22222222-2222-4222-8222-222222222222' }],
    ['another conversation', 'resume', { parked, resume: '22222222-2222-4222-8222-222222222222' }],
    ['settings in a file', 'settings', { parked, settings: '/etc/settings.json' }],
    ['disabled hooks', 'settings.disableAllHooks', { parked, settings: { disableAllHooks: true } }],
    ['a CLI that calls no hooks', 'env.CLAUDE_CODE_SIMPLE', { parked, env: { CLAUDE_CODE_SIMPLE: '1' } }],
    ['decideLater() as the answer', 'parked.answer', { parked: { ...parked, answer: decideLater() } }],
    ['an answer with an unknown field', 'parked.answer', { parked: { ...parked, answer: { ...allow(), all: true } } }],
    [
      'permission updates',
      'parked.answer',
      { parked: { ...parked, answer: { ...allow(), updatedPermissions: [{}] } } },
    ],
  ])('[G-9, O-1] is refused: %s', async (_why, path, options) => {
    const error = await openError(options as unknown as OpenSessionOptions);
    expect(error.problems.map((problem) => problem.path)).toContain(path);
    const restarting = await openError({ ...options, restart: true } as unknown as OpenSessionOptions);
    expect(restarting.problems).toEqual(error.problems);
  });

  it('[G-9] has a hash of the tool, the call and the input, whatever the order of keys', () => {
    expect(requestHash({ ...request, input: { timeout: 1, command: 'ls' } })).toBe(parked.hash);
    expect(requestHash({ ...request, toolName: 'Read' })).not.toBe(parked.hash);
    expect(requestHash({ ...request, toolUseId: 'toolu_2' })).not.toBe(parked.hash);
    expect(requestHash({ ...request, input: { command: 'ls', timeout: '1' } })).not.toBe(parked.hash);
    expect(requestHash({ ...request, input: JSON.parse('{"command":"ls","timeout":1,"__proto__":1}') })).not.toBe(
      parked.hash,
    );
  });
});

async function openError(options: OpenSessionOptions): Promise<OptionsError> {
  const transport = () => {
    throw new Error('The CLI must not be started.');
  };
  const session = openSession({ sessionStore: memoryStore(), transport, ...options });
  const error = await session.ready.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(OptionsError);
  return error as OptionsError;
}
