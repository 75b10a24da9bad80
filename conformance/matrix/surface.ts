import type { Message, Session } from '../../packages/sdk/src/index.ts';
import { text, thinking, toolUse } from '../../packages/testkit/src/fake-api/reply.ts';
import { type Bench, openBench } from './bench.ts';
import { flagsOfHelp } from './drift.ts';

/** The parts of a release that a host can observe. Lists are sorted; values of maps are lists of fields, or JSON. */
export interface Surface {
  readonly flags: readonly string[];
  readonly capabilities: readonly string[];
  readonly hookEvents: readonly string[];
  readonly tools: readonly string[];
  /** The given requests that the release supports. */
  readonly controlRequests: readonly string[];
  /** The fields of the answer to `initialize`. */
  readonly handshake: readonly string[];
  /** The JSON schema of each tool, by its name for the model. */
  readonly toolSchemas: Readonly<Record<string, string>>;
  /** The fields of each message, by type and subtype. */
  readonly messages: Readonly<Record<string, readonly string[]>>;
}

/** Requests that end or stop something, so that they are not tried. Every release has them. */
const NOT_TRIED: ReadonlySet<string> = new Set(['initialize', 'end_session', 'interrupt', 'mcp_message']);

/** Examines a release: requests its flags, runs a conversation, and sends control requests without fields. */
export async function surfaceOf(cli: string, requests: readonly string[]): Promise<Surface> {
  await using bench = await openBench(cli, { ungated: true });
  const messages = new Map<string, Set<string>>();
  const note = (message: Message): void => {
    const { type, subtype } = { subtype: '', ...message };
    const kind = `${type} ${subtype}`.trim();
    const fields = messages.get(kind) ?? new Set();
    for (const field of Object.keys(message)) fields.add(field);
    messages.set(kind, fields);
  };
  const watchers = Object.fromEntries(EVERY_TURN.map((event) => [event, () => undefined]));
  const session = await bench.start({
    hooks: watchers,
    allowedTools: ['Bash'],
    includePartialMessages: true,
    canUseTool: () => ({ behavior: 'deny', message: 'no' }),
  });
  const write = toolUse('Write', { file_path: bench.path('new'), content: 'x' });
  const lines = [[thinking('Well.'), toolUse('Bash', { command: 'echo hello' })], write, text('done')];
  const { messages: played } = await bench.play(session, lines);
  for (const message of played) note(message);
  const { tools, features, handshake } = session.capabilities;
  const listing = await session.request('get_hooks_listing').catch(() => ({}));
  return {
    flags: sorted(await flagsOfHelp(cli)),
    capabilities: sorted(features),
    hookEvents: sorted(namesIn(listing)),
    tools: sorted(tools),
    controlRequests: sorted(await knownRequests(bench, requests)),
    handshake: sorted(Object.keys(handshake)),
    toolSchemas: schemasIn(bench),
    messages: Object.fromEntries([...messages].toSorted().map(([kind, fields]) => [kind, sorted([...fields])])),
  };
}

const EVERY_TURN = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'PermissionRequest', 'Stop'];

/** Sends each request without fields. A request that ends the session is supported: the next one gets another session. */
async function knownRequests(bench: Bench, requests: readonly string[]): Promise<string[]> {
  const known: string[] = [];
  let session: Session | undefined;
  for (const request of requests) {
    session = session?.state === 'running' ? session : await bench.start();
    const failure = NOT_TRIED.has(request) ? '' : await session.request(request).then(() => '', String);
    if (!/unsupported control request|unknown (control )?request/i.test(failure)) known.push(request);
  }
  await session?.close();
  return known;
}

/** The tools in the first request that offers any. */
function schemasIn({ asked }: Bench): Record<string, string> {
  const offered = asked.find(({ toolDefinitions }) => toolDefinitions.length > 0)?.toolDefinitions ?? [];
  return Object.fromEntries(
    offered.map(({ name, ...definition }) => [name, JSON.stringify(definition)] as const).toSorted(),
  );
}

function namesIn(listing: unknown): string[] {
  const { eventCatalog } = Object(listing);
  return Array.isArray(eventCatalog) ? eventCatalog.map(({ name }) => String(name)) : [];
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
