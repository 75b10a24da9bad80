import { availableParallelism } from 'node:os';
import { shadowedPermissions } from '../callbacks/permission-warnings.ts';
import type { Connection } from '../connection/connection.ts';
import { StartGate } from '../connection/start-gate.ts';
import { UnsupportedOptionError } from '../errors/options.ts';
import { InitializationTimeoutError } from '../errors/start.ts';
import { type Launch, prepareLaunch } from '../launch/launch.ts';
import type { ToolServers } from '../mcp/tool-servers.ts';
import { field } from '../messages/fields.ts';
import { AWAITS_SERVERS_SINCE } from '../options/flag-table.ts';
import { modeInSettings } from '../options/permission-mode.ts';
import type { StartOutput } from '../process/start-output.ts';
import type { EventBody } from '../report/events.ts';
import { within } from '../timing/timers.ts';
import { warning } from '../warnings/warning.ts';
import { type LoadedHost, warnOfUnrequested } from './ask-loaded.ts';
import { askUsage } from './ask-usage.ts';
import type { CliFacts } from './cli-facts.ts';
import type { CostLedger } from './cost-ledger.ts';
import type { OwnerRules } from './owner-rules.ts';
import { type HooksHost, requireHooks } from './required-hooks.ts';
import type { SessionServers } from './servers.ts';
import { launchFromStore, type StoreHost } from './store-use.ts';
import type { SettingsKeeper } from './turn-settings.ts';

/** The parts of a conversation that its start uses. */
export interface StartHost extends StoreHost, Omit<HooksHost, 'plan' | 'cli'> {
  readonly connection: Connection;
  readonly rules: OwnerRules;
  readonly cli: CliFacts;
  readonly tools: ToolServers | undefined;
  readonly settings: SettingsKeeper;
  readonly servers: SessionServers;
  readonly costs: CostLedger;
  readonly report: { event(event: EventBody): void; environment(): Readonly<Record<string, string>> };
  readonly operations: LoadedHost['requests'];
  readonly lastWords: StartOutput;
  reportReady(): void;
}

/** One per host process: many starts at once would slow each other down. */
const gate = new StartGate(2 * availableParallelism());

/** Starts the CLI and performs the handshake. @throws the start error, or what ended the connection meanwhile */
export async function startConversation(host: StartHost): Promise<void> {
  const place = gate.enter(host.plan.run.limits.parallelStarts);
  void host.connection.closed.then(() => place.leave());
  await place.admitted;
  try {
    const launch = await prepare(host);
    await begin(host, launch);
    await greet(host, launch);
    void noteCarriedCost(host);
    await requireHooks(host);
    // Waiting for servers does not slow down other starts.
    place.leave();
    await host.servers.started();
    await beReady(host);
  } finally {
    place.leave();
  }
}

async function prepare(host: StartHost): Promise<Launch> {
  requireStarting(host);
  const { run, given } = host.plan;
  const permissionMode = host.settings.known.permissionMode ?? modeInSettings(run.options);
  const { canUseTool, allowedTools, agents } = given;
  const shadowed = shadowedPermissions({ canUseTool, allowedTools, permissionMode, agents });
  for (const warned of [...run.warnings, ...shadowed]) host.warn(warned);
  await host.tools?.open();
  const toleratesUnknown = !host.rules.strict;
  const watched = host.report.environment();
  const launch = prepareLaunch({ ...run, mode: 'session', toleratesUnknown, watched }, (warned) => host.warn(warned));
  return run.options.sessionStore ? launchFromStore(host, run.options.sessionStore, launch) : launch;
}

async function begin(host: StartHost, launch: Launch): Promise<void> {
  requireStarting(host);
  const { connection, cli, rules, report } = host;
  cli.launched(launch);
  const { startTimeoutMs } = host.plan.run.limits;
  const started = connection.start(launch.transport, launch.request).then(() => true);
  if (!(await within(startTimeoutMs, started))) throw new InitializationTimeoutError(startTimeoutMs, host.lastWords);
  report.event({ type: 'started', pid: connection.pid ?? null });
  void cli.refusal.then((error) => error && rules.refused(error));
}

async function greet(host: StartHost, launch: Launch): Promise<void> {
  requireStarting(host);
  const { connection, cli, plan } = host;
  const fields = { ...plan.initialize, ...launch.initialize };
  const answer = connection.requests.handshake(fields, connection.closed);
  connection.dispatch('handshake-sent');
  const body = await answer;
  if (!cli.handshake(body)) {
    const message = 'The CLI answered the handshake without its commands, models, agents or capabilities.';
    host.warn(warning('capabilities-missing', message, { cliVersion: cli.release ?? null }));
  }
  await cli.requireGuards();
  requireApplied(launch, body);
}

/** A CLI that was replaced after its version was cached may ignore parts of the handshake. @throws UnsupportedOptionError */
function requireApplied({ initialize }: Launch, body: unknown): void {
  if (initialize.mcpServers === undefined || field(body, 'mcp_servers_applied') === true) return;
  const found = String(field(body, 'claude_code_version') ?? 'a release without a version');
  throw new UnsupportedOptionError({ option: 'mcpServers', flag: undefined, found, required: AWAITS_SERVERS_SINCE });
}

async function beReady(host: StartHost): Promise<void> {
  await askCarriedCost(host);
  requireStarting(host);
  host.connection.dispatch('handshake-answered');
  host.reportReady();
  void warnOfUnrequested({
    requests: host.operations,
    cli: host.cli,
    plan: host.plan,
    warn: (warned) => host.warn(warned),
  });
}

/** The costs that a resumed process begins with can only be requested before its first prompt. */
async function askCarriedCost({ cli, connection, costs }: StartHost): Promise<void> {
  if (!costs.mustAskBase) return;
  if (cli.release === undefined) await cli.versionKnown();
  if (!costs.mustAskBase) return;
  // The exit of the CLI fails the session.
  costs.baseAnswered(await askUsage(connection.requests));
}

/** The costs that a resumed process begins with, for the cost of a turn that is parked. Nothing waits for the answer. */
async function noteCarriedCost({ plan, connection, costs }: StartHost): Promise<void> {
  const mayPark = plan.run.options.sessionStore !== undefined && plan.given.canUseTool !== undefined;
  if (mayPark && costs.mayAskBase) costs.baseAnswered(await askUsage(connection.requests));
}

/** @throws the error that ended the connection while it was starting */
function requireStarting({ connection: { starting, ending } }: StartHost): void {
  if (!starting) throw ending.failure ?? ending.stopped('The session was closed while it was starting');
}
