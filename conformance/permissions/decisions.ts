import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inMemoryCli, script, startFakeApi, text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, type Collected, deny, toolResultsOf, toolUsesOf } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { isolatedHome } from '../harness/isolated-home.ts';
import { realCli } from '../harness/real-cli.ts';
import { startedSession } from '../harness/started-session.ts';
import { type Call, type Case, type Decided, describeCall, FILES } from './case.ts';

/**
 * What a release of the real CLI decides about each call of a case; undefined for an edit of a file that it refused to
 * read, because then no permission is needed.
 */
export async function decisionsOfReal(
  { options, calls }: Case,
  version: string,
): Promise<readonly (Decided | undefined)[]> {
  const decided: (Decided | undefined)[] = [];
  for (let at = 0; at < calls.length; at += IN_ONE_SESSION) {
    decided.push(...(await inSession(options, calls.slice(at, at + IN_ONE_SESSION), version)));
  }
  return decided;
}

/** Each request to the API contains all earlier calls. */
const IN_ONE_SESSION = 120;

async function inSession(
  options: Case['options'],
  calls: readonly Call[],
  version: string,
): Promise<readonly (Decided | undefined)[]> {
  const replies = [...calls.map(({ tool: name, input }) => toolUse(name, input)), text('That was all.')];
  await using api = await startFakeApi(replies);
  await using home = await isolatedHome(api.url);
  for (const file of FILES) {
    const path = join(home.project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.endsWith('.ipynb') ? NOTEBOOK : 'one\n');
  }
  const env = home.env({ ...NO_NETWORK, BASH_DEFAULT_TIMEOUT_MS: '3000', IS_SANDBOX: '1' });
  const decided = await decisions(
    { ...options, cli: realCli(version), cwd: home.project, inheritEnv: false, env },
    calls,
  );
  if (api.problems.length > 0) throw new Error(api.problems.join('\n'));
  return decided;
}

/** What the scripted CLI decides about each call of a case. */
export function decisionsOfScripted({ options, calls }: Case): Promise<readonly (Decided | undefined)[]> {
  const agent = script().otherwise((turn) =>
    calls.reduce((so, { tool: name, input }) => so.useTool(name, input), turn).say('That was all.'),
  );
  const { transport } = inMemoryCli(agent);
  return decisions({ ...options, transport, cwd: '/project', env: { HOME: '/home' } }, calls);
}

const NOTEBOOK = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });

/** Only the fake API is reachable. */
const NO_NETWORK = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };

async function decisions(options: AgentOptions, calls: readonly Call[]): Promise<readonly (Decided | undefined)[]> {
  const asked = new Set<string>();
  const session = await startedSession({
    ...options,
    ...(calls.some((call) => call.tool.startsWith('mcp__')) && { mcpServers: SERVERS }),
    canUseTool(request) {
      if (request.toolUseId !== undefined) asked.add(request.toolUseId);
      return deny('The measurement allows nothing.');
    },
  });
  try {
    const collected = await session.send('go').collect();
    if (collected.terminalError) throw collected.terminalError;
    return decidedIn(collected, asked, calls);
  } finally {
    await session.close();
  }
}

const SERVERS = Object.fromEntries(
  ['calc', 'other'].map((name) => {
    const tools = ['add', 'sub'].map((each) => tool(each, 'Calculates.', { type: 'object' }, () => '1'));
    return [name, toolServer({ name, tools, autoAllow: false })];
  }),
);

function decidedIn(
  { messages }: Collected,
  asked: ReadonlySet<string>,
  calls: readonly Call[],
): (Decided | undefined)[] {
  const results = new Map(messages.flatMap(toolResultsOf).map((result) => [result.tool_use_id, result]));
  const denied = new Set(
    messages.flatMap((message) =>
      message.type === 'result' ? (message.permission_denials ?? []).map((denial) => denial.tool_use_id) : [],
    ),
  );
  const uses = messages.flatMap(toolUsesOf);
  if (uses.length !== calls.length) throw new Error(`The CLI made ${uses.length} of ${calls.length} calls.`);
  return uses.map(({ id }, index) => {
    if (asked.has(id)) return 'asks';
    const content = JSON.stringify(results.get(id)?.content);
    if (denied.has(id) || UNAVAILABLE.test(content)) return 'denies';
    if (content.includes('File has not been read yet')) return undefined;
    const call = calls[index];
    if (content.includes('<tool_use_error>') && call)
      throw new Error(`${describeCall(call)} is not a valid call: ${content}`);
    return 'runs';
  });
}

/** What the CLI answers instead of asking for permission. */
const UNAVAILABLE = /No such tool available|denied by your permission settings|covered by a Read deny rule/;
