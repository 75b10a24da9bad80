import { writeFileSync } from 'node:fs';
import type { McpServerStatus, Query } from '@coxswain/drop-in';
import { delay, text, toolUse } from '@coxswain/testkit';
import { z } from 'zod';
import { waitUntil } from '../../../../conformance/harness/wait-until.ts';
import { compare, SAME } from './compare.ts';
import { Input, keysOf, label, outcomeOf, thrownBy } from './facts.ts';
import { readAll } from './stage.ts';

compare(
  '[U-4] control requests before the first prompt',
  async (stage) => {
    const { sdk } = stage;
    writeFileSync(stage.file('log.txt'), 'calm sea');
    const input = new Input();
    const agents = { cook: { description: 'Cooks.', prompt: 'You cook.' } };
    const query = sdk.query({ prompt: input, options: stage.options({ agents }) });
    const init = await query.initializationResult();
    const outcome = (promise: Promise<unknown>) => outcomeOf(promise, sdk);
    const wave = sdk.tool('wave', 'Waves.', { to: z.string() }, async () => ({ content: [] }));
    const harbour = sdk.createSdkMcpServer({ name: 'harbour', tools: [wave] });
    const facts = {
      'fields of initializationResult()': keysOf(init),
      'initializationResult() again': (await query.initializationResult()) === init,
      'supportedCommands()': (await query.supportedCommands()).map(keysOf)[0],
      'supportedModels()': (await query.supportedModels()).map(({ value }) => value),
      'supportedAgents()': (await query.supportedAgents()).map(({ name }) => name).includes('cook'),
      'accountInfo()': await query.accountInfo(),
      'reinitialize()': keysOf(await query.reinitialize()),
      'setModel()': await outcome(query.setModel('haiku')),
      'setPermissionMode()': await outcome(query.setPermissionMode('acceptEdits')),
      'setPermissionMode() with a wrong mode': await outcome(query.setPermissionMode('sideways' as 'plan')),
      'setMaxThinkingTokens()': await outcome(query.setMaxThinkingTokens(2000)),
      'applyFlagSettings()': await outcome(query.applyFlagSettings({ outputStyle: 'Explanatory' })),
      'interrupt() without a turn': await outcome(query.interrupt()),
      'mcpServerStatus() without servers': await outcome(query.mcpServerStatus()),
      'setMcpServers() with an in-process server': await outcome(query.setMcpServers({ harbour })),
      'mcpServerStatus() with it': (await settledServers(query)).map(({ name, status }) => [name, status]),
      'setMcpServers() without it': await outcome(query.setMcpServers({})),
      'reconnectMcpServer() of an unknown server': await outcome(query.reconnectMcpServer('nowhere')),
      'toggleMcpServer() of an unknown server': await outcome(query.toggleMcpServer('nowhere', false)),
      'getContextUsage()': keysOf(await query.getContextUsage()),
      'readFile()': await outcome(query.readFile(stage.file('log.txt'))),
      'readFile() of a missing file': await outcome(query.readFile(stage.file('none.txt'))),
      'rewindFiles() without checkpoints': await outcome(
        query.rewindFiles('00000000-0000-4000-8000-000000000000', { dryRun: true }),
      ),
      'stopTask() of an unknown task': await outcome(query.stopTask('nothing')),
      'backgroundTasks() without any': await outcome(query.backgroundTasks()),
      'reloadSkills()': keysOf(await query.reloadSkills()),
      'reloadPlugins()': keysOf(await query.reloadPlugins()),
      'reloadOutputStyles()': keysOf(await query.reloadOutputStyles()),
      'generateSessionTitle()': await outcome(call(query, 'generateSessionTitle', 'A voyage', { persist: false })),
      'mcpAuthenticate() of an unknown server': await outcome(call(query, 'mcpAuthenticate', 'nowhere')),
      'enableRemoteControl() off': await outcome(call(query, 'enableRemoteControl', false)),
      'seedReadState()': await outcome(query.seedReadState(stage.file('log.txt'), 1)),
      'usage_EXPERIMENTAL_…()': keysOf(await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()),
    };
    const requests = stage.api.conversation.length;
    stage.say(text('Hello.'));
    const running = readAll(query, ({ type }) => type === 'result' && input.end());
    input.send('Greet me.');
    const { messages } = await running;
    const initMessage = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    return {
      ...facts,
      'requests without a prompt': requests,
      'the model it set': stage.lastRequest.model,
      'the mode it set':
        initMessage?.type === 'system' && initMessage.subtype === 'init' ? initMessage.permissionMode : null,
      'the thinking it set': stage.lastRequest.thinking ?? null,
    };
  },
  {
    'fields of initializationResult()': SAME,
    'initializationResult() again': true,
    'supportedCommands()': SAME,
    'supportedModels()': SAME,
    'supportedAgents()': true,
    'accountInfo()': SAME,
    'reinitialize()': SAME,
    'setModel()': { value: null },
    'setPermissionMode()': { value: null },
    'setPermissionMode() with a wrong mode': SAME,
    'setMaxThinkingTokens()': { value: null },
    'applyFlagSettings()': { value: null },
    'interrupt() without a turn': { value: { still_queued: [] } },
    'mcpServerStatus() without servers': { value: [] },
    'setMcpServers() with an in-process server': { value: { added: ['harbour'], removed: [], errors: {} } },
    'mcpServerStatus() with it': [['harbour', 'connected']],
    'setMcpServers() without it': { value: { added: [], removed: ['harbour'], errors: {} } },
    'reconnectMcpServer() of an unknown server': SAME,
    'toggleMcpServer() of an unknown server': SAME,
    'getContextUsage()': SAME,
    'readFile()': SAME,
    'readFile() of a missing file': { value: null },
    'rewindFiles() without checkpoints': SAME,
    'stopTask() of an unknown task': SAME,
    'backgroundTasks() without any': SAME,
    'reloadSkills()': SAME,
    'reloadPlugins()': SAME,
    'reloadOutputStyles()': SAME,
    'generateSessionTitle()': SAME,
    'mcpAuthenticate() of an unknown server': SAME,
    'enableRemoteControl() off': SAME,
    'seedReadState()': { value: null },
    'usage_EXPERIMENTAL_…()': SAME,
    'requests without a prompt': 0,
    'the model it set': SAME,
    'the mode it set': 'acceptEdits',
    'the thinking it set': SAME,
  },
);

compare(
  '[U-4] interrupt() during a turn',
  async (stage) => {
    stage.say([text('One.'), delay(20_000), text('Late.')], text('Back.'));
    const input = new Input('Count.');
    const receipts: unknown[] = [];
    let results = 0;
    const { messages, thrown } = await readAll(
      stage.sdk.query({ prompt: input, options: stage.options({ includePartialMessages: true }) }),
      async (message, query) => {
        if (message.type === 'stream_event' && receipts.length === 0) receipts.push(await query.interrupt());
        if (message.type !== 'result') return;
        results += 1;
        if (results === 1) input.send('Go on.');
        else input.end();
      },
    );
    return {
      receipt: receipts,
      results: messages.filter(({ type }) => type === 'result').map(label),
      thrown: thrown ?? null,
      'what the model reads next': stage.lastRequest.lastUserText,
    };
  },
  {
    receipt: [{ still_queued: [] }],
    results: SAME,
    thrown: null,
    'what the model reads next': 'Go on.',
  },
);

compare(
  '[U-4] an in-process server that is added before the only prompt',
  async (stage) => {
    const moor = stage.sdk.tool('moor', 'Moors.', {}, async () => ({ content: [{ type: 'text', text: 'moored' }] }));
    stage.say(toolUse('mcp__harbour__moor', {}), text('Done.'));
    const input = new Input();
    const query = stage.sdk.query({ prompt: input, options: stage.options({ allowedTools: ['mcp__harbour__moor'] }) });
    await query.setMcpServers({ harbour: stage.sdk.createSdkMcpServer({ name: 'harbour', tools: [moor] }) });
    input.send('Moor.');
    input.end();
    const { thrown } = await readAll(query);
    return { 'what the model reads': stage.toolResults, thrown: thrown ?? null };
  },
  { 'what the model reads': [{ said: 'moored', isError: false }], thrown: null },
);

compare(
  '[U-4] startup()',
  async (stage) => {
    const warm = await stage.sdk.startup({ options: stage.options() });
    stage.say(text('Hello.'));
    const { messages } = await readAll(warm.query('Greet me.'));
    const again = thrownBy(() => warm.query('Again.'), stage.sdk);
    const closed = await stage.sdk.startup({ options: stage.options() });
    closed.close();
    const failed = stage.sdk.startup({
      options: stage.options({ pathToClaudeCodeExecutable: stage.script('exit 9') }),
    });
    return {
      messages: messages.map(label),
      'a second query': again,
      'a query after close()': thrownBy(() => closed.query('Too late.'), stage.sdk),
      'a CLI that exits': await outcomeOf(failed, stage.sdk),
      'processes left': await stage.left(),
    };
  },
  {
    messages: SAME,
    'a second query': SAME,
    'a query after close()': SAME,
    'a CLI that exits': SAME,
    'processes left': 0,
  },
);

/** Calls an undeclared method. */
function call(query: Query, method: string, ...args: unknown[]): Promise<unknown> {
  return Reflect.get(query, method).apply(query, args);
}

/** The servers, once none of them is connecting. */
function settledServers(query: Query): Promise<McpServerStatus[]> {
  return waitUntil(async () => {
    const servers = await query.mcpServerStatus();
    return servers.every(({ status }) => status !== 'pending') && servers;
  });
}
