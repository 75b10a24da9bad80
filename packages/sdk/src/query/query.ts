import { needsHandshake } from '../cli/argv.ts';
import { OptionsError } from '../errors/options.ts';
import { type OptionLayer, readLayer } from '../options/option-layer.ts';
import type { AgentDefinition, AgentOptions } from '../options/option-types.ts';
import { NO_PLAN, planQuery, type QueryPlan } from '../options/plan.ts';
import { isSdkServer } from '../options/sdk-server.ts';
import { requiresServers } from '../options/server-states.ts';
import { hasRulesOrHooks } from '../options/settings-check.ts';
import type { UserContent } from '../wire/messages.ts';
import { OneShot } from './one-shot.ts';
import { type QueryStream, RunStream } from './query-stream.ts';
import { QueryRun, type QuerySource } from './run.ts';
import { TwoWay } from './two-way.ts';

/**
 * Sends one prompt to Claude Code. The process starts immediately; the stream yields its messages as they arrive. Never
 * throws: with invalid options or a start error, the first read and `started` reject.
 */
export function query<T = unknown>(prompt: UserContent, options: AgentOptions<T> = {}): QueryStream<T> {
  return queryWith(prompt, [readLayer(options)]);
}

/** Starts a query from layers of options, strongest first. Never throws: the stream reports failures. */
export function queryWith<T>(prompt: UserContent, layers: readonly OptionLayer[]): QueryStream<T> {
  try {
    return start(planQuery<T>(prompt, layers, process));
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return start<T>(NO_PLAN, error);
  }
}

function start<T>(plan: QueryPlan<T>, refusal?: OptionsError): QueryStream<T> {
  const connect = (run: QueryRun<T>): QuerySource =>
    needsTwoWay(plan.options) ? new TwoWay(plan, run) : new OneShot(plan, run);
  return new RunStream(new QueryRun(plan, connect, refusal));
}

/**
 * The CLI calls callbacks over stdin and stdout, but a one-shot run closes stdin, accepts agents on argv only, and gives its
 * prompt no id for rewinding files. Only sessions wait for required MCP servers, restore and mirror a conversation in a
 * store, check whether rules and hooks in settings are in force, and send what has no flag, or is long, in the handshake.
 */
function needsTwoWay(options: AgentOptions): boolean {
  const { hooks = {}, mcpServers = {}, agents = {} } = options;
  const asked = options.canUseTool ?? options.onElicitation ?? options.onControlRequest;
  return (
    asked !== undefined ||
    requiresServers(options) ||
    hasRulesOrHooks(options.settings) ||
    options.sessionStore !== undefined ||
    options.fileCheckpointing === true ||
    options.agentProgressSummaries === true ||
    options.planModeInstructions !== undefined ||
    options.toolAliases !== undefined ||
    Object.keys(hooks).length > 0 ||
    Object.values(mcpServers).some(isSdkServer) ||
    Object.values(agents).some(definesServer) ||
    needsHandshake(options, process.platform)
  );
}

/** The settings of an MCP server may hold secrets, and every user of the machine can read argv. */
function definesServer({ mcpServers = [] }: AgentDefinition): boolean {
  return mcpServers.some((server) => typeof server !== 'string');
}
