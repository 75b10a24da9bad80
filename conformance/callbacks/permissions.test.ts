import { setTimeout as sleep } from 'node:timers/promises';
import { type ReplyStep, text, toolUse } from '@coxswain/testkit';
import {
  allow,
  answerQuestions,
  type CallbackContext,
  type CanUseTool,
  decideLater,
  deny,
  type PermissionRequest,
  type PermissionResult,
  stopTurn,
} from 'coxswain';
import { beforeEach, describe, expect, it } from 'vitest';
import { QUESTION } from '../harness/question.ts';
import { supportedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Stage, sharedStage } from './stage.ts';

/** A call that no rule allows yet. */
function write(stage: Stage, name: string, content = 'by the model'): ReplyStep {
  return toolUse('Write', { file_path: stage.path(name), content });
}

describe.concurrent.each(supportedVersions)('canUseTool in %s', (version) => {
  const asked: PermissionRequest[] = [];
  const contexts: CallbackContext[] = [];
  let decide: CanUseTool = () => deny('nothing was said about this');
  const stage = sharedStage(version, {
    canUseTool(request, context) {
      asked.push(request);
      contexts.push(context);
      return decide(request, context);
    },
  });

  beforeEach(() => {
    asked.length = 0;
    contexts.length = 0;
  });

  it.sequential('[P-1, P-2] allow: it receives the whole call, and the tool runs', async () => {
    decide = () => allow();
    const turn = await stage().play([write(stage(), 'allowed'), text('done')]);
    expect(asked).toMatchObject([
      {
        id: expect.any(String),
        kind: 'tool',
        toolName: 'Write',
        input: { file_path: stage().path('allowed'), content: 'by the model' },
        toolUseId: expect.stringMatching(/^toolu_/),
        // Without allowPermissionUpdates, no suggestions are passed on that an answer could not use; `raw` has those of the CLI.
        suggestions: [],
        displayName: 'Write',
        raw: { subtype: 'can_use_tool' },
      },
    ]);
    expect(contexts).toMatchObject([{ sessionId: stage().session.id, toolUseId: asked[0]?.toolUseId }]);
    expect(contexts[0]?.signal.aborted).toBe(false);
    expect(stage().read('allowed')).toBe('by the model');
    expect(turn).toMatchObject({ outcome: { kind: 'completed' }, warnings: [] });
  });

  it.sequential('[P-2] allow with another input: the tool runs with that input', async () => {
    decide = ({ input }) => allow({ updatedInput: { ...input, content: 'by the person' } });
    await stage().play([write(stage(), 'changed'), text('done')]);
    expect(stage().read('changed')).toBe('by the person');
  });

  it.sequential('[P-2, P-5] deny: the tool does not run, the model gets the reason, and the host gets a warning', async () => {
    decide = () => deny('words-of-the-person');
    const turn = await stage().play([write(stage(), 'denied'), text('what a pity')]);
    expect(stage().read('denied')).toBeUndefined();
    expect(turn.requests[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining('words-of-the-person') },
    ]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'what a pity' });
    expect(turn.result.permission_denials).toMatchObject([{ tool_name: 'Write' }]);
    expect(turn.warnings).toMatchObject([{ code: 'permission-denied', context: { tools: ['Write'] } }]);
  });

  it.sequential.each([
    ['deny with interrupt', () => deny('enough', { interrupt: true })],
    ['stopTurn', () => stopTurn('enough')],
  ])('[P-2] %s: the tool does not run, and the turn ends; the session continues', async (name, act) => {
    decide = act;
    const file = name.replaceAll(' ', '-');
    const turn = await stage().play([write(stage(), file), text('unheard')]);
    expect(stage().read(file)).toBeUndefined();
    expect(turn.requests).toHaveLength(1);
    // If an interrupt and the answer cross, the turn may end in either way; the tool never runs.
    expect(turn.outcome).toMatchObject({ kind: 'interrupted', during: expect.stringMatching(/^(tools|streaming)$/) });
    expect((await stage().play([text('and now')])).outcome).toMatchObject({ kind: 'completed', text: 'and now' });
  });

  it.sequential.each<[string, PermissionResult, string | undefined]>([
    ['an allow', { behavior: 'allow', updatedInput: { file_path: '', content: 'raw' } }, 'raw'],
    ['a deny', { behavior: 'deny', message: 'no' }, undefined],
  ])("[P-2] %s in the CLI's own format is followed", async (name, result, content) => {
    const file = name.replaceAll(' ', '-');
    decide = ({ input }) =>
      'updatedInput' in result ? { ...result, updatedInput: { ...input, content: 'raw' } } : result;
    await stage().play([write(stage(), file), text('done')]);
    expect(stage().read(file)).toBe(content);
  });

  it.sequential.each<[string, () => PermissionResult | Promise<PermissionResult>]>([
    [
      'throws',
      () => {
        throw new Error('inside-of-the-host');
      },
    ],
    ['rejects', () => Promise.reject(new Error('inside-of-the-host'))],
    // Untyped code may return this.
    ['says yes', () => 'inside-of-the-host' as unknown as PermissionResult],
    // JavaScript written for the official SDK: its parameter for the name receives the whole request.
    [
      'compares names',
      ((name: unknown) => ({ behavior: name === 'Write' ? 'deny' : 'allow' })) as unknown as () => PermissionResult,
    ],
  ])(
    '[P-3] a callback that %s: the tool is refused, and the model receives no details of the host',
    async (name, act) => {
      decide = act;
      const file = name.replaceAll(' ', '-');
      const turn = await stage().play([write(stage(), file), text('done')]);
      expect(stage().read(file)).toBeUndefined();
      expect(turn.requests[1]?.toolResults[0]?.text).toContain('Permission denied');
      expect(turn.modelReceived('inside-of-the-host')).toBe(false);
      expect(turn.warnings).toMatchObject([
        { code: 'permission-failed', context: { tool: 'Write' } },
        { code: 'permission-denied' },
      ]);
    },
  );

  it.sequential('[P-3] an answer after 3 s is accepted', async () => {
    decide = async () => {
      await sleep(3_000);
      return allow();
    };
    const turn = await stage().play([write(stage(), 'slowly'), text('at last')]);
    expect(turn).toMatchObject({ outcome: { kind: 'completed', text: 'at last' }, warnings: [] });
    expect(stage().read('slowly')).toBe('by the model');
  });

  it.sequential('[P-7] decideLater: another process lists the request and answers it', async () => {
    decide = () => decideLater();
    const turn = stage().begin([write(stage(), 'later'), text('done')]);
    await waitUntil(() => stage().session.pendingPermissions().length > 0, { what: 'a pending permission' });
    const [request] = JSON.parse(JSON.stringify(stage().session.pendingPermissions()));
    expect(request).toMatchObject({ toolName: 'Write', input: { file_path: stage().path('later') } });
    expect(stage().read('later')).toBeUndefined();
    const answered = JSON.parse(JSON.stringify(allow({ updatedInput: { ...request.input, content: 'from afar' } })));
    await stage().session.answerPermission(request.id, answered);
    expect(await turn.text()).toBe('done');
    expect(stage().read('later')).toBe('from afar');
    expect(stage().session.pendingPermissions()).toEqual([]);
    await expect(stage().session.answerPermission(request.id, allow())).rejects.toMatchObject({
      code: 'no-such-permission',
    });
  });

  it.sequential('[P-7] an answer through the session wins over a callback that is still running', async () => {
    decide = () => new Promise(() => {});
    const turn = stage().begin([write(stage(), 'elsewhere'), text('done')]);
    await waitUntil(() => asked.length > 0, { what: 'a question' });
    expect(stage().session.pendingPermissions()).toMatchObject(asked);
    await stage().session.answerPermission(asked[0]?.id ?? '', deny('words-from-elsewhere'));
    expect(await turn.text()).toBe('done');
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(stage().read('elsewhere')).toBeUndefined();
    expect(JSON.stringify(stage().api.conversation.at(-1)?.body)).toContain('words-from-elsewhere');
  });

  it.sequential('[P-1] interrupt: the request is withdrawn, its signal is aborted, and nothing runs', async () => {
    decide = () => new Promise(() => {});
    const turn = stage().begin([write(stage(), 'interrupted'), text('unheard')]);
    await waitUntil(() => contexts.length > 0, { what: 'a question' });
    await stage().session.interrupt();
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(stage().session.pendingPermissions()).toEqual([]);
    expect(stage().read('interrupted')).toBeUndefined();
  });

  it.sequential('[P-1, P-2] parallel calls each get their own answer', async () => {
    decide = ({ input }) => (JSON.stringify(input).includes('parallel-2') ? deny('not that one') : allow());
    const calls = [1, 2, 3].map((n) => toolUse('Bash', { command: `echo ran > parallel-${n}` }));
    const turn = await stage().play([calls, text('done')]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(3);
    expect([1, 2, 3].map((n) => stage().read(`parallel-${n}`))).toEqual(['ran\n', undefined, 'ran\n']);
    expect(turn.requests[1]?.toolResults.map(({ isError }) => isError)).toEqual([false, true, false]);
  });

  it.sequential('[P-6] the model gets the answer to its question', async () => {
    decide = () => answerQuestions({ 'Which one?': 'Right' });
    const turn = await stage().play([toolUse('AskUserQuestion', { questions: [QUESTION] }), text('so be it')]);
    expect(asked).toMatchObject([
      { kind: 'question', toolName: 'AskUserQuestion', input: { questions: [{ question: 'Which one?' }] } },
    ]);
    expect(turn.requests[1]?.toolResults[0]).toMatchObject({ isError: false });
    expect(turn.requests[1]?.toolResults[0]?.text).toMatch(/Which one\?.*Right/s);
    expect(turn.warnings).toEqual([]);
  });

  it.sequential('[P-6] the model gets all choices of a multi-select question', async () => {
    decide = () => answerQuestions({ 'Which one?': ['Left', 'Right'] });
    const questions = [{ ...QUESTION, multiSelect: true }];
    const turn = await stage().play([toolUse('AskUserQuestion', { questions }), text('so be it')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('Left, Right');
  });

  it.sequential('[P-6] a question that is allowed but not answered causes a warning', async () => {
    decide = () => allow();
    const turn = await stage().play([toolUse('AskUserQuestion', { questions: [QUESTION] }), text('never mind')]);
    expect(turn.requests[1]?.toolResults[0]?.text).not.toContain('Right');
    expect(turn.warnings).toMatchObject([{ code: 'question-not-answered' }]);
  });

  it.sequential('[P-6] the model gets the reason for a denied question', async () => {
    decide = () => deny('ask-somebody-else');
    const turn = await stage().play([toolUse('AskUserQuestion', { questions: [QUESTION] }), text('never mind')]);
    expect(turn.requests[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(turn.modelReceived('ask-somebody-else')).toBe(true);
  });
});
