import { type ApiScript, type ToolUseStep, text, toolUse } from '@coxswain/testkit';
import type { StagedScript } from './measured.ts';
import type { ParkingStage } from './stage.ts';

/** The parked call, in most tests. */
export const CALL = 'toolu_one';

/** A command that appends a line to the file `ran`, in any working directory. */
export function command(stage: ParkingStage, id: string = CALL): ToolUseStep {
  return toolUse('Bash', { command: `echo ran >> ${stage.path('ran')}` }, { id });
}

/** A command that appends its line and then runs until the file `go` exists. */
export function lastingCommand(stage: ParkingStage): ToolUseStep {
  const wait = `while [ ! -e ${stage.path('go')} ]; do sleep 0.05; done`;
  return toolUse('Bash', { command: `echo ran >> ${stage.path('ran')}; ${wait}` }, { id: CALL });
}

/** The model runs the command and reports that it is done; later prompts get other answers. */
export const runsCommand: StagedScript = (stage): ApiScript => [
  () => command(stage()),
  text('done'),
  text('second answer'),
  text('third answer'),
];

/** The model makes one call and reports that it is done. */
export function calls(name: string, input: object): StagedScript {
  return () => [toolUse(name, input, { id: CALL }), text('done'), text('second answer')];
}
