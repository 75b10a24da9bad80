import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expectedFields } from '../../packages/sdk/src/callbacks/abilities.ts';
import { ownsFlag } from '../../packages/sdk/src/options/flag-table.ts';
import { text, toolUse } from '../../packages/testkit/src/fake-api/reply.ts';
import { isolatedHome } from '../harness/isolated-home.ts';
import { openBench } from './bench.ts';
import { commandOf } from './flags.ts';
import known from './known.json' with { type: 'json' };

/** The features of a release that are unknown to this repository, by kind; empty kinds are omitted. */
export type Drift = Readonly<Record<string, readonly string[]>>;

/** Asks a release for its flags, tools, hook events and protocol features, and watches a conversation with it. */
export async function findDrift(cli: string): Promise<Drift> {
  const seen = await watchSession(cli);
  const found: Drift = {
    'flags of --help': newOnes(await flagsOfHelp(cli), known.flags).filter((flag) => !ownsFlag(flag)),
    tools: newOnes(seen.tools, known.tools),
    'hook events': seen.hookEvents.filter((event) => expectedFields(event) === undefined),
    'protocol features': newOnes(seen.features, known.features),
    'message types': seen.messageTypes,
    'control requests': seen.controlRequests,
    'fields of hook inputs': seen.hookFields,
  };
  return Object.fromEntries(Object.entries(found).filter(([, news]) => news.length > 0));
}

interface Seen {
  readonly tools: readonly string[];
  readonly features: readonly string[];
  readonly hookEvents: readonly string[];
  readonly messageTypes: readonly string[];
  readonly controlRequests: readonly string[];
  readonly hookFields: readonly string[];
}

/** A conversation that uses many features; the SDK reports unknown parts as warnings. */
async function watchSession(cli: string): Promise<Seen> {
  await using bench = await openBench(cli, { ungated: true });
  const warned = new Map<string, Set<string>>();
  const controlRequests = new Set<string>();
  const watchers = Object.fromEntries(EVERY_TURN.map((event) => [event, () => undefined]));
  const session = await bench.start({
    hooks: watchers,
    allowedTools: ['Bash'],
    includePartialMessages: true,
    canUseTool: () => ({ behavior: 'deny', message: 'no' }),
    onWarning({ code, context }) {
      const what = code === 'hook-input-changed' ? `${context.event}.${context.field}` : String(context.type);
      warned.set(code, (warned.get(code) ?? new Set()).add(what));
    },
    onControlRequest({ subtype }) {
      controlRequests.add(String(subtype));
    },
  });
  const write = toolUse('Write', { file_path: bench.path('new'), content: 'x' });
  await bench.play(session, [toolUse('Bash', { command: 'echo hello' }), write, text('done')]);
  const listing = await session.request('get_hooks_listing').catch(() => ({}));
  const { tools, features } = session.capabilities;
  return {
    tools,
    features,
    hookEvents: namesIn(listing),
    messageTypes: [...(warned.get('unknown-message-type') ?? [])],
    controlRequests: [...controlRequests],
    hookFields: [...(warned.get('hook-input-changed') ?? [])],
  };
}

const EVERY_TURN = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'PermissionRequest', 'Stop'];

function namesIn(listing: unknown): string[] {
  const { eventCatalog } = Object(listing);
  return Array.isArray(eventCatalog) ? eventCatalog.map(({ name }) => String(name)) : [];
}

/** Flags at the start of a line; others are only mentioned. */
export async function flagsOfHelp(cli: string): Promise<string[]> {
  await using home = await isolatedHome('http://127.0.0.1:9');
  const [command = '', ...args] = commandOf(cli);
  const { stdout } = await promisify(execFile)(command, [...args, '--help'], {
    cwd: home.project,
    env: home.env(),
    timeout: 20_000,
  });
  const lines = stdout.split('\n').filter((line) => /^ {2}-/.test(line));
  return lines.flatMap((line) => [...(line.split(/ {2,}/)[1] ?? '').matchAll(/--[\w-]+/g)].map(([flag]) => flag));
}

function newOnes(found: readonly string[], old: readonly string[]): string[] {
  return [...new Set(found)].filter((name) => !old.includes(name));
}
