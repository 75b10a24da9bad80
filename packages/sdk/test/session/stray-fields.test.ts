import { describe, expect, it } from 'vitest';
import {
  allow,
  answerQuestions,
  checkAnswer,
  decideLater,
  deny,
  modifyInput,
  type PermissionAnswer,
} from '../../src/index.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { questionRequest } from '../callbacks/permission-dispatcher.ts';
import { type FakeCli, settle, start } from '../support/fake-cli.ts';

/** Unchecked answers, as delivered by a network. */
const STRAY: readonly (readonly [string, object])[] = [
  ['a misspelt field', { decision: 'allow', updateInput: { command: 'ls' } }],
  ['a misspelt option of allow()', allow({ updateInput: { command: 'ls' } } as never)],
  ['a field in another notation', { behavior: 'allow', updatedInput: {}, updated_input: { command: 'ls' } }],
  ['a field of another answer', { decision: 'allow', answers: {} }],
  ['two answers', { decision: 'allow', behavior: 'deny' }],
  ['an unknown field', { decision: 'allow', newInput: { command: 'ls' } }],
  ['__proto__', JSON.parse('{ "decision": "allow", "__proto__": { "updatedInput": {} } }')],
  ['a string as the options of allow()', allow('ls' as never)],
];

describe('an answer with an invalid field', () => {
  it.each(STRAY)('[P-8] of canUseTool is refused, and the tool does not run: %s', async (_, answer) => {
    const { cli, warnings } = await start({ canUseTool: () => answer as never });
    cli.askPermission('p1', 'Bash', { command: 'rm -rf .' });
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
    expect(warnings).toMatchObject([
      { code: 'permission-failed', message: expect.stringMatching(/not a known field/) },
    ]);
  });

  it.each(STRAY)('[P-8] of answerPermission() is refused, and the request stays pending: %s', async (_, answer) => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    cli.askPermission('p1', 'Bash', { command: 'rm -rf .' });
    await settle();
    const id = session.pendingPermissions()[0]?.id ?? '';
    await expect(session.answerPermission(id, answer as never)).rejects.toMatchObject({ code: 'options' });
    const stray = { decision: 'deny', reason: 'no', x: 1 } as never;
    await expect(session.answerPermission(id, stray)).rejects.toMatchObject({ code: 'options' });
    expect(session.pendingPermissions()).toHaveLength(1);
    await session.answerPermission(id, deny('no'));
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', message: 'no' });
  });

  const NO_INPUT: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['empty: the CLI runs the original', {}],
    ['a Map', new Map([['command', 'ls']])],
    ['inherited', Object.create({ command: 'ls' })],
  ];

  it.each(NO_INPUT)('[P-2] does not run the original input when its updatedInput is %s', async (_, updatedInput) => {
    const answer = { decision: 'allow', updatedInput } as never;
    const { session, cli, warnings } = await start({
      canUseTool: ({ toolName }) => (toolName === 'Write' ? decideLater() : answer),
      hooks: { PermissionRequest: () => answer },
    });
    cli.askPermission('p1', 'Bash', { command: 'rm -rf .' });
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
    cli.askPermission('p2', 'Write', { file_path: '/x', content: '' });
    await settle();
    const id = session.pendingPermissions()[0]?.id ?? '';
    await expect(session.answerPermission(id, answer)).rejects.toMatchObject({ code: 'options' });
    cli.askHook('h1', 'PermissionRequest', 'hook_0', { tool_input: { command: 'rm -rf .' } });
    expect(JSON.stringify(await cli.answered('h1'))).toContain('"behavior":"deny"');
    expect(warnings.map(({ code }) => code).filter((code) => code.endsWith('-failed'))).toEqual([
      'permission-failed',
      'hook-failed',
    ]);
  });

  it.each<[string, object]>([
    ['a Response', new Response('{"decision":"deny"}')],
    ['a Map', new Map([['decision', 'deny']])],
    ['an Error', new Error('deny')],
    ['an object whose JSON is empty', { decide: () => deny('no') }],
  ])('[H-7] of a guard that has no fields blocks the tool: %s', async (_, result) => {
    const { cli, warnings } = await start({ hooks: { PreToolUse: () => result as never } });
    cli.askHook('h1');
    expect(JSON.stringify(await cli.answered('h1'))).toContain('"permissionDecision":"deny"');
    expect(warnings.filter(({ code }) => code === 'hook-failed')).toMatchObject([
      { context: { failure: 'bad-result' } },
    ]);
  });

  it('[P-8] whose decision is null is not an answer in the format of the CLI', async () => {
    const answer = { decision: null, behavior: 'allow', updateInput: { command: 'ls' } };
    const { cli, warnings } = await start({ canUseTool: () => answer as never });
    cli.askPermission('p1', 'Bash', { command: 'rm -rf .' });
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
    expect(warnings).toMatchObject([{ code: 'permission-failed', context: { failure: 'bad-result' } }]);
  });

  it.each<[string, unknown]>([
    ['allow()', allow({ updateInput: { command: 'ls' } } as never)],
    ['modifyInput()', { ...modifyInput({ command: 'ls' }), inpt: 1 }],
    ['the format of the CLI', { hookSpecificOutput: { permissionDecision: 'allow', newInput: { command: 'ls' } } }],
    ['a misspelt deny', { decision: 'denied', reason: 'no' }],
    ['a list in the format of the CLI', { hookSpecificOutput: [{ permissionDecision: 'deny' }] }],
    ['null in the format of the CLI', { hookSpecificOutput: null }],
    ['a string', 'deny'],
  ])('[H-10] of a guard blocks the tool: %s', async (_, result) => {
    const { cli, warnings } = await start({ hooks: { PreToolUse: () => result as never } });
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(warnings.at(-1)).toMatchObject({ code: 'hook-failed', context: { failure: 'bad-result', policy: 'block' } });
  });

  it.each<[string, object]>([
    ['deny()', deny('no', { interupt: true } as never)],
    ['stopTurn()', { decision: 'stopTurn', reason: 'no', now: true }],
    ['the format of the CLI', { hookSpecificOutput: { permissionDecision: 'deny', because: 'no' } }],
  ])('[H-10] does not override a denial, even if failures continue: %s', async (_, result) => {
    const run = () => result as never;
    const { cli, warnings } = await start({ hooks: { PreToolUse: { run, onFailure: 'continue' } } });
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(warnings.at(-1)).toMatchObject({ code: 'hook-output-suspect' });
  });

  it('[H-10] of a hook that only observes lets the action continue', async () => {
    const { cli, warnings } = await start({ hooks: { PostToolUse: () => 'done' as never } });
    cli.askHook('h1', 'PostToolUse');
    expect(await cli.answered('h1')).toEqual({});
    expect(warnings.at(-1)).toMatchObject({ code: 'hook-failed', context: { policy: 'continue' } });
  });

  it.each<[string, unknown]>([
    ['a misspelt field', { action: 'accept', contnet: { password: 'x' } }],
    ['an unknown action', { action: 'yes' }],
    ['no action', {}],
    ['a string', 'accept'],
    ['content that is not an object', { action: 'accept', content: 'x' }],
  ])('[P-8] of onElicitation declines, with a warning: %s', async (_, answer) => {
    const { cli, warnings } = await start({ onElicitation: () => answer as never });
    cli.ask('e1', 'elicitation', { mcp_server_name: 'db', message: 'password?' });
    expect(await cli.answered('e1')).toEqual({ action: 'decline' });
    expect(warnings).toMatchObject([{ code: 'callback-failed' }]);
  });

  it('[P-8, P-6] may be an answer to a question that was not asked', async () => {
    const { cli, warnings } = await start({ canUseTool: () => answerQuestions({ 'Which one?': 'A' }) });
    cli.ask('p1', 'can_use_tool', questionRequest);
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('"Which one?" was not asked') }]);
  });

  it.each<[string, PermissionAnswer]>([
    ['allow()', allow()],
    ['the unchanged input', allow({ updatedInput: Object(questionRequest.input) })],
    ['answerQuestions({})', answerQuestions({})],
  ])('[P-8, P-6] from elsewhere may answer no question: %s', async (_, answer) => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    cli.ask('p1', 'can_use_tool', questionRequest);
    await settle();
    const [request] = session.pendingPermissions();
    if (request === undefined) throw new Error('Nothing was asked.');
    const problem = 'a question needs an answer';
    expect(() => checkAnswer(answer, request)).toThrow(problem);
    await expect(session.answerPermission(request.id, answer)).rejects.toThrow(problem);
    await session.answerPermission(request.id, answerQuestions({ 'Which?': 'A' }));
    expect(await cli.answered('p1')).toMatchObject({ updatedInput: { answers: { 'Which?': 'A' } } });
  });
});

describe('an answer that changes permissions', () => {
  const mode = (name: string) => ({ type: 'setMode', mode: name, destination: 'session' });
  const rule = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };

  /** The answer to the CLI: of canUseTool, of answerPermission(), and of a PermissionRequest hook. */
  async function answersTo(options: AgentOptions, updatedPermissions: unknown): Promise<readonly unknown[]> {
    const decision = allow({ updatedPermissions: updatedPermissions as never });
    const behaviorOf = async (cli: FakeCli): Promise<unknown> =>
      Reflect.get(Object(await cli.answered('p1')), 'behavior');
    const called = await start({ ...options, canUseTool: () => decision });
    called.cli.askPermission('p1');
    const later = await start({ ...options, canUseTool: () => decideLater() });
    later.cli.askPermission('p1');
    await settle();
    const id = later.session.pendingPermissions()[0]?.id ?? '';
    await later.session.answerPermission(id, decision).catch(() => later.session.answerPermission(id, deny('no')));
    const hooks = await start({ ...options, hooks: { PermissionRequest: () => decision } });
    hooks.cli.askHook('p1', 'PermissionRequest');
    const raw = { hookSpecificOutput: { decision: { behavior: 'allow', updatedPermissions } } };
    const rawHooks = await start({ ...options, hooks: { PermissionRequest: () => raw as never } });
    rawHooks.cli.askHook('p1', 'PermissionRequest');
    const ofHook = async (cli: FakeCli): Promise<unknown> => {
      const { hookSpecificOutput } = Object(await cli.answered('p1'));
      return hookSpecificOutput.decision.behavior;
    };
    return [
      await behaviorOf(called.cli),
      await behaviorOf(later.cli),
      await ofHook(hooks.cli),
      await ofHook(rawHooks.cli),
    ];
  }

  const DENIED = ['deny', 'deny', 'deny', 'deny'];
  const ALLOWED = ['allow', 'allow', 'allow', 'allow'];

  it('[P-9] is refused without the option allowPermissionUpdates', async () => {
    expect(await answersTo({}, [rule])).toEqual(DENIED);
    expect(await answersTo({ allowPermissionUpdates: false }, [mode('acceptEdits')])).toEqual(DENIED);
    expect(await answersTo({}, [])).toEqual(ALLOWED);
  });

  it('[P-9] is sent with the option allowPermissionUpdates', async () => {
    expect(await answersTo({ allowPermissionUpdates: true }, [rule, mode('acceptEdits')])).toEqual(ALLOWED);
  });

  it('[P-9] cannot switch to bypassPermissions unless the options allow that too', async () => {
    const options = { allowPermissionUpdates: true };
    expect(await answersTo(options, [mode('bypassPermissions')])).toEqual(DENIED);
    const both = { ...options, allowDangerouslySkipPermissions: true };
    expect(await answersTo(both, [mode('bypassPermissions')])).toEqual(ALLOWED);
  });

  it.each<[string, unknown]>([
    ['a misspelt type', [{ ...rule, type: 'addRule' }]],
    ['an unknown type', [{ type: 'grant', destination: 'session' }]],
    ['an unknown field', [{ ...rule, only: 'ls' }]],
    ['a rule with an unknown field', [{ ...rule, rules: [{ toolName: 'Bash', pattern: 'ls' }] }]],
    ['a rule with null as its content', [{ ...rule, rules: [{ toolName: 'Bash', ruleContent: null }] }]],
    ['a misspelt field', [{ ...rule, behavior: undefined, behaviour: 'deny' }]],
    ['no destination', [{ ...rule, destination: undefined }]],
    ['rules as strings', [{ ...rule, rules: ['Bash(rm *)'] }]],
    ['an object instead of a list', { ...rule }],
    ['null in the list', [null]],
  ])('[P-9] is refused if the CLI would interpret it differently: %s', async (_, updates) => {
    expect(await answersTo({ allowPermissionUpdates: true }, updates)).toEqual(DENIED);
  });
});
