import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planQuery } from '../launch/plan.ts';
import type { AgentDefinition, QueryOptions } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { isSdkServer } from '../options/sdk-server.ts';
import type { UserContent } from '../wire/messages.ts';
import { type QueryStream, RunStream } from './query-stream.ts';
import { QueryRun } from './run.ts';
import { TwoWayRun } from './two-way-run.ts';

/** Starts a query from layers of options, the strongest first. Never throws: what is wrong comes out of the stream. */
export function queryWith<T>(
  prompt: UserContent,
  layers: readonly QueryOptions<T>[],
  host?: HostFacts,
): QueryStream<T> {
  try {
    const plan = planQuery(prompt, layers, host);
    return new RunStream(needsTwoWay(plan.options) ? new TwoWayRun(plan) : new QueryRun(plan));
  } catch (error) {
    if (error instanceof OptionsError) return new RunStream(new QueryRun<T>(NO_PLAN, error));
    throw error;
  }
}

/** Callbacks can only be asked over stdin, which a one-shot run closes. Nor does it take agents anywhere but on argv. */
function needsTwoWay(options: QueryOptions): boolean {
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
