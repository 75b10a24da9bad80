import { mkdirSync, writeFileSync } from 'node:fs';
import { text, thinking, toolUse, usage, type ApiScript, type Reply } from '@coxswain/testkit';
import { allow, answerQuestions, deny, decideLater, type AgentOptions } from 'coxswain';
import { describe, it } from 'vitest';
import { supportedVersions } from '../harness/real-cli.ts';
import { QUESTION } from '../harness/question.ts';
import { mcpServer } from '../harness/mcp-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { historyOf } from './history.ts';
import { openParking, type ParkingStage, type Resumed, results } from './stage.ts';
import { marker, notRun } from './entries.ts';

mkdirSync('/tmp/parked-obs', { recursive: true });
const facts = async (stage: ParkingStage, resumed: Resumed, id: string, extra: object = {}) => ({
  asked: resumed.asked.map(({ toolName, toolUseId, input }) => `${toolName} ${toolUseId} ${JSON.stringify(input).slice(0, 200)}`),
  results: results(resumed.messages).map((r: any) => ({ subtype: r.subtype, err: r.is_error, stop: r.stop_reason, term: r.terminal_reason, text: r.result, turns: r.num_turns, cost: r.total_cost_usd, den: r.permission_denials?.length, so: r.structured_output, deferred: r.deferred_tool_use, origin: r.origin, errors: r.errors })),
  history: historyOf(stage.api.conversation.at(-1)),
  requests: stage.api.conversation.length,
  model: stage.api.conversation.at(-1)?.model,
  ran: stage.read('ran'),
  init: resumed.messages.filter((m: any) => m.subtype === 'init').map((m: any) => m.permissionMode),
  messages: resumed.messages.map((m: any) => [m.type, m.subtype ?? ''].join(' ').trim()).join(', ').slice(0, 900),
  entries: (await stage.entries(id)).filter((e: any) => e.uuid && !['environment','model','deferred_tools_delta','agent_listing_delta','skill_listing'].includes(e.attachment?.type)).map((e: any) => [e.type, e.subtype, e.attachment?.type, JSON.stringify(e.message?.content)?.slice(0, 90)].filter(Boolean).join(' ')),
  problems: stage.api.problems,
  ...extra,
});
const only = process.env.CASE?.split(',');

describe.concurrent.each(supportedVersions)('%s', (version) => {
  const explore = (name: string, script: (stage: () => ParkingStage) => ApiScript, act: (stage: ParkingStage) => Promise<object>) => {
    if (only && !only.includes(name)) return;
    it(name, async () => {
      let holder: ParkingStage | undefined;
      await using stage = await openParking(script(() => holder!), version);
      holder = stage;
      const out = await act(stage).catch((e) => ({ failed: String(e), stack: e.stack?.slice(0, 600), history: historyOf(stage.api.conversation.at(-1)), problems: stage.api.problems }));
      writeFileSync(`/tmp/parked-obs/${name}.${version}.json`, JSON.stringify(out, null, 1).replaceAll(stage.home.root, '<root>'));
    });
  };
  const bash = (stage: () => ParkingStage, id = 'toolu_one', word = 'ran') => () => toolUse('Bash', { command: `echo ${word} >> ${stage().path('ran')}` }, { id });
  const plain = (stage: () => ParkingStage): ApiScript => [bash(stage), text('done'), text('second answer'), text('third')];
  const simple = (name: string, options: AgentOptions & { answer?: any; first?: AgentOptions } = {}, script = plain) =>
    explore(name, script, async (stage) => {
      const { first, ...then } = options;
      const { id, asked } = await stage.park({ ...first });
      const r = await stage.resume(id, then);
      await r.result();
      return facts(stage, r, id, { before: asked.map(({ toolName, toolUseId, input }) => `${toolName} ${toolUseId} ${JSON.stringify(input).slice(0, 200)}`) });
    });

  simple('allow');
  simple('deny', { answer: () => deny('words-of-the-person') });
  simple('deny-interrupt', { answer: () => deny('words-of-the-person', { interrupt: true }) });
  simple('allow-updated', { answer: ({ input }: any) => allow({ updatedInput: { command: input.command.replace('ran', 'changed') } }) });
  simple('no-callback', { canUseTool: undefined });
  simple('store-only', { storeOnly: true, first: { storeOnly: true } });
  simple('write', {}, (stage) => [() => toolUse('Write', { file_path: stage().path('ran'), content: 'x' }, { id: 'toolu_one' }), text('done')]);
  simple('question', { answer: () => answerQuestions({ 'Which one?': 'Right' }) }, () => [toolUse('AskUserQuestion', { questions: [QUESTION] }, { id: 'toolu_one' }), text('done')]);
  simple('plan', { permissionMode: 'plan', first: { permissionMode: 'plan' } }, () => [toolUse('ExitPlanMode', { plan: '1. Write a file.' }, { id: 'toolu_one' }), text('done')]);
  simple('plan-default', { first: { permissionMode: 'plan' } }, () => [toolUse('ExitPlanMode', { plan: '1. Write a file.' }, { id: 'toolu_one' }), text('done')]);
  simple('plan-deny', { permissionMode: 'plan', first: { permissionMode: 'plan' }, answer: () => deny('not yet') }, () => [toolUse('ExitPlanMode', { plan: '1. Write a file.' }, { id: 'toolu_one' }), text('done')]);
  const calc: NonNullable<AgentOptions['mcpServers']>[string] = ({ method, params }: any) => {
    if (method === 'initialize') return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'calc', version: '1' } } };
    if (method === 'tools/list') return { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
    const { a, b } = Object(params?.arguments);
    return { result: { content: [{ type: 'text', text: String(a + b) }] } };
  };
  simple('mcp-host', { mcpServers: { calc }, first: { mcpServers: { calc } } }, () => [toolUse('mcp__calc__add', { a: 2, b: 3 }, { id: 'toolu_one' }), text('done')]);
  simple('mcp-host-gone', { first: { mcpServers: { calc } } }, () => [toolUse('mcp__calc__add', { a: 2, b: 3 }, { id: 'toolu_one' }), text('done')]);
  const ext = { plain: { ...mcpServer, env: { TOKEN: 'abc' } } };
  simple('mcp-external', { mcpServers: ext, first: { mcpServers: ext } }, () => [toolUse('mcp__plain__token', {}, { id: 'toolu_one' }), text('done')]);
  const slow = { plain: { command: 'bash', args: ['-c', `sleep 3; exec ${mcpServer.command} ${mcpServer.args.join(' ')}`] } };
  simple('mcp-slow', { mcpServers: slow, first: { mcpServers: ext } }, () => [toolUse('mcp__plain__token', {}, { id: 'toolu_one' }), text('done')]);
  simple('thinking', { thinking: { type: 'enabled', budgetTokens: 2000 }, first: { thinking: { type: 'enabled', budgetTokens: 2000 } } }, (stage) => [() => [thinking('let me see', { signature: 'c2lnbmVk' }), text('I will'), bash(stage)()], text('done')]);
  simple('partials', { includePartialMessages: true, first: { includePartialMessages: true } });
  simple('model', { model: 'claude-haiku-4-5', first: { model: 'claude-sonnet-4-5' } });
  simple('model-kept', { first: { model: 'claude-haiku-4-5' } });
  simple('mode-acceptEdits', { permissionMode: 'acceptEdits' }, (stage) => [() => toolUse('Write', { file_path: `${stage().home.project}/ran.txt`, content: 'x' }, { id: 'toolu_one' }), text('done')]);
  simple('rule', { allowedTools: ['Bash'] });
  simple('rule-deny', { disallowedTools: ['Bash(echo *)'] });
  simple('tool-gone', { disallowedTools: ['Bash'] });
  simple('maxTurns1', { maxTurns: 1, first: { maxTurns: 1 } });
  simple('maxTurns2', { maxTurns: 2, first: { maxTurns: 2 } }, (stage) => [bash(stage), bash(stage, 'toolu_two'), bash(stage, 'toolu_three'), text('done')]);
  const dear = (stage: () => ParkingStage): ApiScript => [() => [bash(stage)(), usage({ input_tokens: 1000, output_tokens: 100 })], [text('done'), usage({ input_tokens: 1000, output_tokens: 100 })], text('second')];
  simple('cost', { model: 'claude-sonnet-4-5', first: { model: 'claude-sonnet-4-5' } }, dear);
  simple('budget', { model: 'claude-sonnet-4-5', maxBudgetUsd: 0.006, first: { model: 'claude-sonnet-4-5', maxBudgetUsd: 0.006 } }, dear);
  simple('budget-none', { model: 'claude-sonnet-4-5', maxBudgetUsd: 0.001, first: { model: 'claude-sonnet-4-5' } }, dear);
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } as const;
  simple('structured', { outputSchema: schema, first: { outputSchema: schema } }, (stage) => [bash(stage), toolUse('StructuredOutput', { answer: 43 }), text('done')]);

  explore('immediate-kill', plain, async (stage) => {
    const { id, kill, session } = await stage.ask({ stored: false });
    const at = performance.now();
    const has = async () => JSON.stringify(await stage.entries(id)).includes('toolu_one');
    const early = await has();
    await waitUntil(has);
    const ms = performance.now() - at;
    await kill();
    return { early, ms };
  });
  explore('two-bash', (stage) => [() => [bash(stage, 'toolu_one', 'one')(), bash(stage, 'toolu_two', 'two')()], text('done'), text('second answer')], async (stage) => {
    const { id, key, kill, asked } = await stage.ask();
    await kill();
    const second = JSON.stringify(await stage.entries(id)).includes('toolu_two');
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.toolUseId), second });
  });
  explore('two-bash-not-run', (stage) => [() => [bash(stage, 'toolu_one', 'one')(), bash(stage, 'toolu_two', 'two')()], text('done'), text('second answer')], async (stage) => {
    const { id, key, kill, asked } = await stage.ask();
    await waitUntil(async () => JSON.stringify(await stage.entries(id)).includes('toolu_two'));
    await kill();
    await stage.append(key, [notRun(await stage.entries(id), 'toolu_two')]);
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.toolUseId) });
  });
  explore('no-marker', plain, async (stage) => {
    const { id, kill } = await stage.ask();
    await kill();
    const r = await stage.resume(id);
    r.session.send('second prompt').result().catch(() => {});
    await r.result();
    return facts(stage, r, id);
  });
  explore('prompt-at-once', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id);
    const turn = r.session.send('second prompt');
    const t = await turn.text().catch(String);
    return facts(stage, r, id, { t, turnResults: turn.results.length });
  });
  explore('prompt-while-asked', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id, { answer: () => decideLater() });
    await waitUntil(() => r.asked.length > 0);
    const turn = r.session.send('second prompt');
    await r.session.ping();
    await r.session.answerPermission(r.asked[0]!.id, allow());
    const t = await turn.text().catch(String);
    return facts(stage, r, id, { t });
  });
  explore('interrupt', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id, { answer: () => decideLater() });
    await waitUntil(() => r.asked.length > 0);
    await r.session.interrupt();
    await r.result();
    const t = await r.session.send('second prompt').text().catch(String);
    return facts(stage, r, id, { t });
  });
  explore('set-before-answer', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id, { answer: () => decideLater() });
    await waitUntil(() => r.asked.length > 0);
    await r.session.setModel('claude-haiku-4-5');
    await r.session.setPermissionMode('acceptEdits');
    await r.session.answerPermission(r.asked[0]!.id, allow());
    await r.result();
    return facts(stage, r, id);
  });
  explore('next-turn', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id);
    await r.result();
    const t = await r.session.send('second prompt').text().catch(String);
    await r.session.close();
    const again = await stage.resume(id);
    const t2 = await again.session.send('third prompt').text().catch(String);
    return facts(stage, again, id, { t, t2, idkept: again.session.id === id });
  });
  explore('hooks', plain, async (stage) => {
    const log: string[] = [];
    const hooks = (where: string): AgentOptions['hooks'] => Object.fromEntries(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SessionEnd', 'PermissionDenied'].map((e) => [e, (i: any) => void log.push(`${where} ${e} ${i.tool_use_id ?? ''} ${i.source ?? ''}`.trim())]));
    const { id } = await stage.park({ hooks: hooks('first') });
    const r = await stage.resume(id, { hooks: hooks('second') });
    await r.result();
    await r.session.close();
    return facts(stage, r, id, { log });
  });
  explore('hook-context', plain, async (stage) => {
    const { addContext, modifyInput } = await import('coxswain');
    const { id } = await stage.park({ hooks: { PreToolUse: () => addContext('context-of-hook') } });
    const r = await stage.resume(id, { hooks: { PreToolUse: () => addContext('context-of-hook') } });
    await r.result();
    const n = JSON.stringify(stage.api.conversation.at(-1)?.body.messages).split('context-of-hook').length - 1;
    return facts(stage, r, id, { n });
  });
  explore('hook-modify', plain, async (stage) => {
    const { modifyInput } = await import('coxswain');
    const h: AgentOptions['hooks'] = { PreToolUse: (i: any) => modifyInput({ command: i.tool_input.command.replace('ran', 'ran again') }) };
    const { id, asked } = await stage.park({ hooks: h });
    const r = await stage.resume(id, { hooks: h });
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.input) });
  });
  const two = (stage: () => ParkingStage): ApiScript => [() => ['one', 'two'].map((n) => { writeFileSync(stage().path(n), `words-of-${n}`); return toolUse('Read', { file_path: stage().path(n) }, { id: `toolu_${n}` }); }), text('done'), text('second answer')];
  explore('both-wait-only-marker', two, async (stage) => {
    const { id, key, kill, asked } = await stage.ask({ requests: 2 });
    await kill();
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.toolUseId) });
  });
  explore('both-wait-two-markers', two, async (stage) => {
    const { id, key, kill, asked } = await stage.ask({ requests: 2 });
    await kill();
    for (const a of asked) await stage.append(key, [marker(await stage.entries(id), a)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.toolUseId) });
  });
  for (const nth of [0, 1]) explore(`both-wait-keep-${nth}`, two, async (stage) => {
    const { id, key, kill, asked } = await stage.ask({ requests: 2 });
    await kill();
    await stage.append(key, [notRun(await stage.entries(id), asked[1 - nth]!.toolUseId)]);
    await stage.append(key, [marker(await stage.entries(id), asked[nth]!)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { before: asked.map((a) => a.toolUseId) });
  });
  // The first runs at once (a rule allows it), the second waits.
  const mixed = (order: readonly number[]) => (stage: () => ParkingStage): ApiScript => [() => { const calls = [toolUse('Read', { file_path: stage().path('note') }, { id: 'toolu_read' }), bash(stage, 'toolu_two', 'two')()]; return order.map((n) => calls[n]!); }, text('done'), text('second answer')];
  for (const [name, order] of [['read-then-wait', [0, 1]], ['wait-then-read', [1, 0]]] as const) explore(name, mixed(order), async (stage) => {
    writeFileSync(stage.path('note'), 'words-of-the-note');
    const { id, key, kill, asked, session } = await stage.ask({ addDirs: [stage.home.root], allowedTools: ['Read'] });
    await session.ping();
    await kill();
    const stored = await stage.entries(id);
    const hasRead = JSON.stringify(stored).includes('words-of-the-note');
    const chain = stored.filter((e: any) => e.message && e.uuid).map((e: any) => [e.type, e.uuid.slice(0, 4), e.parentUuid?.slice(0, 4), JSON.stringify(e.message.content).slice(0, 80), e.message.id]);
    if (!hasRead) await stage.append(key, [notRun(await stage.entries(id), 'toolu_read')]);
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { hasRead, chain, before: asked.map((a) => a.toolUseId) });
  });
  const agent = (background: boolean) => (stage: () => ParkingStage): ApiScript => ({
    main: [toolUse('Agent', { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: background }, { id: 'toolu_agent' }), text('done'), text('second answer'), text('third')],
    subagent: [() => toolUse('Bash', { command: 'echo sub1' }, { id: 'toolu_sub0' }), bash(stage, 'toolu_sub1', 'sub'), bash(stage, 'toolu_sub2', 'sub'), text('seen'), text('seen again'), text('seen again')],
  });
  explore('agent-foreground', agent(false), async (stage) => {
    const { id, key, kill, asked } = await stage.ask();
    await kill();
    const agents = await stage.store.listSubkeys(key);
    await stage.append(key, [marker(await stage.entries(id), { toolUseId: 'toolu_agent', toolName: 'Agent', input: { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: false } })]);
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id, { agents, before: asked.map((a: any) => [a.toolUseId, a.agentId]), kinds: stage.api.requests.map((q) => q.kind) });
  });
  explore('agent-foreground-sub-marker', agent(false), async (stage) => {
    const { id, key, kill, asked } = await stage.ask();
    await kill();
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    r.session.send('second prompt').result().catch(() => {});
    await r.result();
    return facts(stage, r, id, { before: asked.map((a: any) => [a.toolUseId, a.agentId]) });
  });
  explore('agent-background', agent(true), async (stage) => {
    const { id, key, kill, asked, messages } = await stage.ask();
    await waitUntil(() => results(messages).length > 0).catch(() => {});
    await kill();
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const stored = (await stage.entries(id)).filter((e: any) => e.message).map((e: any) => [e.type, JSON.stringify(e.message.content).slice(0, 120)]);
    const r = await stage.resume(id);
    r.session.send('second prompt').result().catch(() => {});
    await r.result();
    await r.session.idle();
    return facts(stage, r, id, { stored, before: asked.map((a: any) => [a.toolUseId, a.agentId]) });
  });
  explore('background-command', (stage) => [() => toolUse('Bash', { command: 'while [ ! -e never ]; do sleep 0.05; done', run_in_background: true }, { id: 'toolu_bg' }), bash(stage), text('done'), text('second')], async (stage) => {
    let n = 0;
    const asked: any[] = [];
    const session = await stage.start({ sessionStore: stage.store, canUseTool: (q) => { asked.push(q); return q.toolUseId === 'toolu_one' ? decideLater() : allow(); } });
    session.send('first prompt').result().catch(() => {});
    await waitUntil(() => asked.some((q) => q.toolUseId === 'toolu_one'));
    await waitUntil(async () => JSON.stringify(await stage.entries(session.id!)).includes('toolu_one'));
    const running = stage.processes().length;
    process.kill(session.pid!, 'SIGKILL');
    await session.closed;
    const left = stage.processes().map((p) => p.command.slice(0, 60));
    const id = session.id!;
    const key = { projectKey: 'default', sessionId: id };
    await stage.append(key, [marker(await stage.entries(id), asked.at(-1)!)]);
    const r = await stage.resume(id);
    await r.result();
    const tasks = JSON.stringify(stage.api.conversation.at(-1)?.body.messages).slice(-1500);
    return facts(stage, r, id, { running, left, tasks });
  });
  const rewritten = (name: string, change: (e: any) => any, options = {}) => explore(name, plain, async (stage) => {
    const { id, key } = await stage.park();
    await stage.rewrite(key, (es) => es.map(change));
    const r = await stage.resume(id, options);
    r.session.send('second prompt').result().catch(() => {});
    await r.result();
    await r.session.idle();
    return facts(stage, r, id);
  });
  rewritten('old', (e) => ({ ...e, ...(e.timestamp ? { timestamp: new Date(Date.parse(e.timestamp) - 60 * 86_400_000).toISOString() } : {}) }));
  rewritten('changed-input', (e) => e.attachment?.type === 'hook_deferred_tool' ? { ...e, attachment: { ...e.attachment, toolInput: { command: e.attachment.toolInput.command.replace('echo ran', 'echo swapped') } } } : e);
  rewritten('changed-call', (e) => e.type === 'assistant' ? JSON.parse(JSON.stringify(e).replace('echo ran', 'echo swapped')) : e);
  rewritten('changed-name', (e) => e.attachment?.type === 'hook_deferred_tool' ? { ...e, attachment: { ...e.attachment, toolName: 'Write' } } : e);
  rewritten('unknown-id', (e) => e.attachment?.type === 'hook_deferred_tool' ? { ...e, attachment: { ...e.attachment, toolUseID: 'toolu_unknown' } } : e);
  rewritten('no-input', (e) => e.attachment?.type === 'hook_deferred_tool' ? { ...e, attachment: { ...e.attachment, toolInput: undefined } } : e);
  rewritten('mode-in-marker', (e) => e.attachment?.type === 'hook_deferred_tool' ? { ...e, attachment: { ...e.attachment, permissionMode: 'bypassPermissions' } } : e);
  rewritten('bare-marker', (e) => e.attachment?.type === 'hook_deferred_tool' ? { type: 'attachment', uuid: e.uuid, parentUuid: e.parentUuid, isSidechain: false, timestamp: e.timestamp, sessionId: e.sessionId, attachment: { type: 'hook_deferred_tool', toolUseID: e.attachment.toolUseID, toolName: e.attachment.toolName, toolInput: e.attachment.toolInput } } : e);

  const lasting = (stage: () => ParkingStage): ApiScript => [() => toolUse('Bash', { command: `echo ran >> ${stage().path('ran')}; while [ ! -e ${stage().path('go')} ]; do sleep 0.05; done` }, { id: 'toolu_one' }), text('done'), text('second'), text('third')];
  for (const removed of [false, true]) explore(`killed-running${removed ? '-removed' : ''}`, lasting, async (stage) => {
    const { id, key } = await stage.park();
    const r = await stage.resume(id);
    await waitUntil(() => stage.read('ran'));
    if (removed) await stage.rewrite(key, (es) => es.filter((e: any) => e.attachment?.type !== 'hook_deferred_tool'));
    await r.kill();
    writeFileSync(stage.path('go'), '');
    const between = (await stage.entries(id)).slice(-4).map((e: any) => [e.type, e.attachment?.type, JSON.stringify(e.message?.content)?.slice(0, 100)]);
    const again = await stage.resume(id);
    if (removed) again.session.send('second prompt').result().catch(() => {});
    await again.result();
    return facts(stage, again, id, { between });
  });
  explore('twice', plain, async (stage) => {
    const { id } = await stage.park();
    const [a, b] = await Promise.all([stage.resume(id), stage.resume(id)]);
    await Promise.all([a.result(), b.result()]);
    await a.session.close();
    await b.session.close();
    const third = await stage.resume(id);
    await third.session.send('third prompt').text().catch(String);
    return facts(stage, third, id, { other: a.asked.length + b.asked.length });
  });
  explore('asked-three-times', plain, async (stage) => {
    const { id, key } = await stage.park();
    const r = await stage.resume(id, { answer: () => decideLater() });
    await waitUntil(() => r.asked.length > 0);
    await r.kill();
    const between = (await stage.entries(id)).slice(-4).map((e: any) => [e.type, e.attachment?.type, JSON.stringify(e.message?.content)?.slice(0, 100)]);
    const again = await stage.resume(id);
    await again.result();
    return facts(stage, again, id, { between });
  });
  explore('parked-again', (stage) => [bash(stage), bash(stage, 'toolu_two', 'two'), text('done'), text('second')], async (stage) => {
    const { id, key } = await stage.park();
    let n = 0;
    const r = await stage.resume(id, { answer: () => (n++ === 0 ? allow() : decideLater()) });
    await waitUntil(() => r.asked.length > 1);
    await r.kill();
    await stage.append(key, [marker(await stage.entries(id), r.asked[1]!)]);
    const again = await stage.resume(id);
    await again.result();
    return facts(stage, again, id);
  });
  explore('compact-before', (stage) => ({ main: [text('first answer'), bash(stage), text('done'), text('second')] }), async (stage) => {
    const session = await stage.start({ sessionStore: stage.store });
    await session.send('zeroth prompt').text();
    await session.send('/compact').result();
    await session.close();
    const { id } = await stage.park({ resume: session.id });
    const r = await stage.resume(id);
    await r.result();
    return facts(stage, r, id);
  });
  explore('compact-between', plain, async (stage) => {
    const { id, key, kill, asked } = await stage.ask();
    await kill();
    const between = await stage.resume(id);
    await between.session.send('/compact').result().catch(() => {});
    await between.session.close();
    await stage.append(key, [marker(await stage.entries(id), asked[0]!)]);
    const r = await stage.resume(id);
    r.session.send('second prompt').result().catch(() => {});
    await r.result();
    return facts(stage, r, id);
  });
  explore('compact-sent', plain, async (stage) => {
    const { id } = await stage.park();
    const r = await stage.resume(id);
    r.session.send('/compact').result().catch(() => {});
    await r.result(1).catch(() => {});
    return facts(stage, r, id);
  });
  for (const other of supportedVersions.filter((v) => v !== version && (v === '2.1.325' || version === '2.1.325'))) simple(`to-${other}`, { version: other } as any);
});
