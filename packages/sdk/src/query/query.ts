import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planQuery } from '../launch/plan.ts';
import type { AgentDefinition, AgentOptions } from '../options/groups.ts';
import { isSdkServer } from '../options/sdk-server.ts';
import type { UserContent } from '../wire/messages.ts';
import { type QueryStream, RunStream } from './query-stream.ts';
import { QueryRun } from './run.ts';
import { TwoWayRun } from './two-way-run.ts';

/**
 * Asks Claude Code one thing. The process starts at once; the stream yields its messages as they come.
 * Never throws: invalid options and start errors come from the first pull, or from `started`.
 */
export function query<T = unknown>(prompt: UserContent, options: AgentOptions<T> = {}): QueryStream<T> {
  return queryWith(prompt, [options]);
}

/** Starts a query from layers of options, the strongest first. Never throws: what is wrong comes out of the stream. */
export function queryWith<T>(prompt: UserContent, layers: readonly AgentOptions<T>[]): QueryStream<T> {
  try {
    const plan = planQuery(prompt, layers);
    return new RunStream(needsTwoWay(plan.options) ? new TwoWayRun(plan) : new QueryRun(plan));
  } catch (error) {
    if (error instanceof OptionsError) return new RunStream(new QueryRun<T>(NO_PLAN, error));
    throw error;
  }
}

/** Callbacks can only be asked over stdin, which a one-shot run closes. Nor does it take agents anywhere but on argv. */
function needsTwoWay(options: AgentOptions): boolean {
  const { hooks, canUseTool, onElicitation, onControlRequest, mcpServers = {}, agents = {} } = options;
  const callbacks = canUseTool ?? onElicitation ?? onControlRequest;
  return (
    callbacks !== undefined ||
    Object.keys(hooks ?? {}).length > 0 ||
    Object.values(mcpServers).some(isSdkServer) ||
    Object.values(agents).some(definesServer)
  );
}

/** What an MCP server is given may be a secret, and argv can be read by every user of the machine. */
function definesServer({ mcpServers = [] }: AgentDefinition): boolean {
  return mcpServers.some((server) => typeof server !== 'string');
}
