import { mkdirSync } from 'node:fs';
import { outcomeOf, type Session } from '../../../packages/sdk/src/index.ts';
import { text, toolUse, until } from '../../../packages/testkit/src/fake-api/reply.ts';
import { mcpServer } from '../../harness/mcp-server.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { type Bench, MARK } from '../bench.ts';
import { differs, expecting, no, type Probe, yes } from '../probe.ts';

const SONNET = 'claude-sonnet-4-5';
const HAIKU = 'claude-haiku-4-5';

/** The control requests that the SDK has a method for, each proven by its effect. */
export const controlProbes: readonly Probe[] = [
  request('interrupt', 'interrupt()', async (bench) => {
    const session = await bench.start();
    bench.scriptAnswers([until(new Promise(() => {}))]);
    const turn = session.send(`${MARK} go`);
    await bench.api.waitForRequest((asked) => JSON.stringify(asked.body).includes(MARK) && asked.tools.length > 0);
    await session.interrupt();
    const outcome = outcomeOf(await turn.result());
    const { answer } = await bench.play(session, [text('and now')]);
    if (outcome.kind === 'completed' || answer !== 'and now')
      return no('the turn is not interrupted, or the session does not continue');
    return outcome.kind === 'interrupted' ? yes : differs(`the outcome of the turn is ${outcome.kind}`);
  }),
  request('set_permission_mode', 'setPermissionMode()', async (bench) => {
    const session = await bench.start();
    await session.setPermissionMode('plan');
    const { messages } = await bench.play(session, [text('ok')]);
    return expecting({
      'the next turn uses the mode':
        messages.find((message) => message.type === 'system' && message.subtype === 'init')?.permissionMode === 'plan',
    });
  }),
  request('set_model', 'setModel()', async (bench) => {
    const session = await bench.start({ model: SONNET });
    await bench.play(session, [text('ok')]);
    await session.setModel(HAIKU);
    await bench.play(session, [text('ok')]);
    return expecting({ 'the API is asked for it': bench.asked.at(-1)?.model.startsWith(HAIKU) === true });
  }),
  request('set_max_thinking_tokens', 'setMaxThinkingTokens()', async (bench) => {
    const session = await bench.start({ model: SONNET });
    await session.setMaxThinkingTokens(2_345);
    await bench.play(session, [text('ok')]);
    return expecting({ 'the API receives it': JSON.stringify(bench.asked.at(-1)?.body.thinking).includes('2345') });
  }),
  request('rewind_files', 'fileCheckpointing, rewindFiles()', async (bench) => {
    const session = await bench.start({ fileCheckpointing: true, permissionMode: 'acceptEdits' });
    const write = toolUse('Write', { file_path: bench.path('note.txt'), content: 'written' });
    const { turn } = await bench.play(session, [write, text('done')]);
    const before = bench.read('note.txt');
    await session.rewindFiles(turn.id);
    return expecting({
      'it was written': before === 'written',
      'it was removed': bench.read('note.txt') === undefined,
    });
  }),
  request('mcp_status', 'mcpStatus()', async (bench) => {
    const session = await bench.start({ mcpServers: { plain: mcpServer } });
    await becomes(session, 'plain', 'connected');
    return yes;
  }),
  request('mcp_set_servers', 'setMcpServers()', async (bench) => {
    const session = await bench.start();
    const { added } = await session.setMcpServers({ late: mcpServer });
    await becomes(session, 'late', 'connected');
    return expecting({ 'it is reported': added.includes('late') });
  }),
  request('mcp_reconnect', 'reconnectMcpServer()', async (bench) => {
    const session = await bench.start({ mcpServers: { plain: mcpServer } });
    await becomes(session, 'plain', 'connected');
    await session.reconnectMcpServer('plain');
    await becomes(session, 'plain', 'connected');
    return yes;
  }),
  request('mcp_toggle', 'toggleMcpServer()', async (bench) => {
    const session = await bench.start({ mcpServers: { plain: mcpServer } });
    await becomes(session, 'plain', 'connected');
    await session.toggleMcpServer('plain', false);
    await becomes(session, 'plain', 'disabled');
    return yes;
  }),
  request('get_context_usage', 'contextUsage()', async (bench) => {
    const usage = await (await bench.start()).contextUsage();
    return expecting({ 'tokens are counted': typeof usage.totalTokens === 'number' });
  }),
  request('get_context_usage:summary', 'loaded() without a request to the API', async (bench) => {
    const session = await bench.start();
    await session.request('get_context_usage', { detail: 'summary' });
    const counted = bench.api.requests.some(({ path }) => path.includes('count_tokens'));
    return expecting({ 'the API is not asked': !counted });
  }),
  request('get_settings', 'getSettings()', async (bench) => {
    const { applied } = await (await bench.start({ model: SONNET })).getSettings();
    return expecting({ 'the model is applied': applied?.model?.includes(SONNET) === true });
  }),
  request('apply_flag_settings', 'applySettings()', async (bench) => {
    const session = await bench.start({ allowedTools: ['Bash'] });
    await session.applySettings({ env: { GREETING: 'hello-from-settings' } });
    await bench.play(session, [toolUse('Bash', { command: 'echo $GREETING > greeting' }), text('done')]);
    return expecting({ 'tools see them': bench.read('greeting') === 'hello-from-settings\n' });
  }),
  request('stop_task', 'stopTask()', async (bench) => {
    const session = await bench.start({ allowedTools: ['Bash'] });
    const events = session.events();
    const command = 'sleep 300';
    await bench.play(session, [toolUse('Bash', { command, run_in_background: true }), text('launched')]);
    await waitUntil(() => bench.running(command), { what: 'the task' });
    const opened = (async () => {
      for await (const event of events) if ('type' in event && event.type === 'task-opened') return event.task;
      return undefined;
    })();
    // Older releases do not report their tasks; they are probed anyway.
    await session.stopTask((await Promise.race([opened, patience(3_000)])) ?? 'unknown');
    await waitUntil(() => !bench.running(command), { what: 'the end of the task' });
    return yes;
  }),
  request('cancel_async_message', 'taking steering back', async (bench) => {
    const session = await bench.start({ allowedTools: ['Bash'] });
    bench.scriptAnswers([toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.05; done' }), text('done')]);
    const turn = session.send(`${MARK} go`);
    await waitUntil(() => bench.running('sleep 0.05'), { timeoutMs: 20_000, what: 'the tool' });
    await turn.steer('words-in-between');
    await turn.interrupt();
    await turn.result();
    await bench.play(session, [text('and now')]);
    return expecting({ 'the model never receives it': !bench.modelReceived('words-in-between') });
  }),
  request('end_session', 'session.close()', async (bench) => {
    const session = await bench.start();
    await session.request('end_session');
    const { exitCode } = await session.closed;
    return expecting({ 'the CLI leaves': exitCode === 0 });
  }),
  request('get_usage', 'usage()', async (bench) => {
    const session = await bench.start();
    await bench.play(session, [text('ok')]);
    const { session: used } = await session.usage();
    return expecting({ 'it has the cost of the session': Number(used?.total_cost_usd) > 0 });
  }),
  request('list_permission_rules', 'permissionRules()', async (bench) => {
    const session = await bench.start({ settings: { permissions: { deny: ['Bash(rm *)'] } } });
    const rules = await session.permissionRules();
    return expecting({ 'the rule is listed': rules.some(({ rule }) => rule === 'Bash(rm *)') });
  }),
  request('get_hooks_listing', 'configuredHooks()', async (bench) => {
    const session = await bench.start({
      settings: { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } },
    });
    const hooks = await session.configuredHooks();
    return expecting({ 'the hook is listed': hooks.some(({ event, type }) => event === 'Stop' && type === 'command') });
  }),
  request('reload_plugins', 'reloadPlugins()', async (bench) => {
    const { commands, agents } = await (await bench.start()).reloadPlugins();
    return expecting({ 'commands and agents are listed': commands.length > 0 && agents.length > 0 });
  }),
  request('reload_skills', 'reloadSkills()', async (bench) => {
    const session = await bench.start();
    const before = await session.reloadSkills();
    mkdirSync(bench.path('.claude/skills/row'), { recursive: true });
    bench.write('.claude/skills/row/SKILL.md', '---\nname: row\ndescription: rows\n---\nRow.\n');
    const after = await session.reloadSkills();
    const has = (skills: typeof after): boolean => skills.some(({ name }) => name === 'row');
    return expecting({ 'a new skill is listed': !has(before) && has(after) });
  }),
  request('reload_output_styles', 'reloadOutputStyles()', async (bench) => {
    const session = await bench.start();
    mkdirSync(bench.path('.claude/output-styles'), { recursive: true });
    bench.write('.claude/output-styles/brief.md', '---\nname: brief\ndescription: short\n---\nBe brief.\n');
    return expecting({ 'a new style is listed': (await session.reloadOutputStyles()).includes('brief') });
  }),
  request('mcp_read_resource', 'readMcpResource()', async (bench) => {
    const session = await bench.start({ mcpServers: { plain: mcpServer } });
    await becomes(session, 'plain', 'connected');
    const [content] = await session.readMcpResource('plain', 'ui://example/page');
    return expecting({ 'the content arrives': content?.text === '<p>boats</p>' });
  }),
  request('get_task_output', 'taskOutput()', async (bench) => {
    const session = await bench.start({ allowedTools: ['Bash'] });
    const bash = toolUse('Bash', { command: 'echo first; sleep 30', run_in_background: true });
    const { messages } = await bench.play(session, [bash, text('started')]);
    const [id = ''] = messages.flatMap((one) =>
      one.type === 'system' && one.subtype === 'task_started' ? [String(one.task_id)] : [],
    );
    const found = await waitUntil(async () => ((await session.taskOutput(id)).output === 'first\n' ? id : undefined));
    await session.stopTask(id);
    return expecting({ 'the output arrives': found !== undefined });
  }),
  ...['get_binary_version', 'get_session_cost', 'background_tasks'].map((subtype) => raw(subtype)),
  raw('rename_session', { title: 'Another title' }),
  raw('file_suggestions', { query: '' }),
  raw('generate_session_title', { description: 'a probe', persist: false }),
  raw('side_question', { question: 'who are you?' }),
  raw('list_models'),
];

function request(id: string, method: string, prove: Probe['prove']): Probe {
  return { id, group: 'control requests', title: `\`${id}\`: ${method}`, prove };
}

/** A request without a dedicated method: a successful answer is enough. */
function raw(subtype: string, payload: object = {}): Probe {
  return {
    id: subtype,
    group: 'control requests',
    title: `\`${subtype}\`: request()`,
    async prove(bench: Bench) {
      await (await bench.start()).request(subtype, payload);
      return yes;
    },
  };
}

function becomes(session: Session, name: string, status: string): Promise<unknown> {
  const now = async (): Promise<boolean> =>
    (await session.mcpStatus()).some((server) => server.name === name && server.status === status);
  return waitUntil(now, { timeoutMs: 6_000, what: `${name} to be ${status}` });
}

function patience(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, ms, undefined).unref());
}
