import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planQuery } from '../launch/plan.ts';
import type { QueryOptions } from '../options/groups.ts';
import { isSdkServer } from '../options/sdk-server.ts';
import type { UserContent } from '../wire/messages.ts';
import { type QueryStream, RunStream } from './query-stream.ts';
import { QueryRun } from './run.ts';
import { TwoWayRun } from './two-way-run.ts';

/**
 * Asks Claude Code one thing. The process starts at once; the stream yields its messages as they come.
 * Never throws: what is wrong with the options or the start comes with the first pull, or from `started`.
 */
export function query<T = unknown>(prompt: UserContent, options: QueryOptions<T> = {}): QueryStream<T> {
  return queryWith(prompt, [options]);
}

/** The same with layers of options, the strongest first. */
export function queryWith<T>(prompt: UserContent, layers: readonly QueryOptions<T>[]): QueryStream<T> {
  try {
    const plan = planQuery(prompt, layers);
    return new RunStream(needsTwoWay(plan.options) ? new TwoWayRun(plan) : new QueryRun(plan));
  } catch (error) {
    if (error instanceof OptionsError) return new RunStream(new QueryRun<T>(NO_PLAN, error));
    throw error;
  }
}

/** Callbacks can only be asked over stdin, which a one-shot run closes. */
function needsTwoWay({ hooks, canUseTool, onElicitation, onControlRequest, mcpServers }: QueryOptions): boolean {
  const callbacks = canUseTool ?? onElicitation ?? onControlRequest;
  return (
    callbacks !== undefined || Object.keys(hooks ?? {}).length > 0 || Object.values(mcpServers ?? {}).some(isSdkServer)
  );
}
