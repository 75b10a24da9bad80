import { outcomeOf, type PermissionRequest } from 'coxswain';
import { historyOf } from './history.ts';
import type { ParkingStage, Resumed } from './stage.ts';

/** What happened to a call after its conversation was resumed. */
export interface Seen {
  readonly stage: ParkingStage;
  readonly resumed: Resumed;
  /** The request before the kill, if the same is expected again. */
  readonly before: Pick<PermissionRequest, 'toolUseId' | 'input'> | undefined;
  /** Whether the call is a command that appends a line to the file `ran`. */
  readonly counts?: boolean;
}

/** A description: what was asked, how often the command ran, what the model received about the call, how the run ended. */
export async function wordsOf({ stage, resumed, before, counts = true }: Seen, nth = 0): Promise<string> {
  if (before === undefined) throw new Error('Nothing was asked before the kill.');
  const result = await resumed.result(nth);
  const { kind } = outcomeOf(result);
  const end = result.stop_reason === 'tool_deferred_unavailable' ? 'tool unavailable' : kind;
  return [
    asked(resumed, before),
    ...(counts ? [ran(stage)] : []),
    receivedAbout({ stage, resumed }, before.toolUseId),
    `ends: ${end}`,
  ].join('; ');
}

/** Whether the same was asked again. */
function asked({ asked: again }: Pick<Resumed, 'asked'>, { toolUseId, input }: NonNullable<Seen['before']>): string {
  const same = again.filter((request) => request.toolUseId === toolUseId);
  const [first] = same;
  if (first === undefined) return again.length === 0 ? 'not asked' : 'another call is asked';
  const how = JSON.stringify(first.input) === JSON.stringify(input) ? '' : ' with another input';
  return same.length === 1 ? `asked again${how}` : `asked ${same.length} times${how}`;
}

/** How often the command that appends to the file `ran` has run. */
export function ran(stage: ParkingStage): string {
  const times = stage.read('ran')?.trim().split('\n').length ?? 0;
  return times === 0 ? 'did not run' : times === 1 ? 'ran once' : `ran ${times} times`;
}

/** What the model received about a call in the last request. */
export function receivedAbout({ stage, resumed }: Pick<Seen, 'stage' | 'resumed'>, toolUseId = ''): string {
  const { conversation } = stage.api;
  if (conversation.length === resumed.requestsBefore) return 'model not asked';
  const history = historyOf(conversation.at(-1));
  const result = history.find((line) => line.includes(`result of ${toolUseId}`));
  if (result === undefined) return 'call not in the history';
  if (!result.includes(`${toolUseId}, error`)) return 'model gets the result';
  return `model gets the error "${result
    .slice(result.indexOf('error: ') + 7)
    .replaceAll(stage.home.root, '…')
    .slice(0, 60)}"`;
}
