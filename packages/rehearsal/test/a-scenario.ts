import type { RecordedCall, RecordedResult, Scenario } from '../src/scenario/scenario.ts';

/** A recorded call with its result, for tests. */
export interface Step {
  readonly call: RecordedCall;
  readonly result: RecordedResult;
}

let count = 0;

/** A recorded call; by default it ran. */
export function step(name: string, input: Record<string, unknown>, result: Partial<RecordedResult> = {}): Step {
  count += 1;
  return {
    call: { type: 'tool_use', id: `toolu_${name}_${count}`, name, input },
    result: { outcome: 'ran', text: 'ok', isError: false, ...result },
  };
}

/** A scenario with one prompt per list of steps; each step is a reply of its own. */
export function aScenario(turns: readonly (readonly Step[])[], more: Partial<Scenario> = {}): Scenario {
  return {
    format: 1,
    name: 'a test',
    cwd: '/work/boats',
    turns: turns.map((steps, index) => ({
      prompt: [{ type: 'text', text: `prompt ${index + 1}` }],
      replies: [...steps.map(({ call }) => [call]), [{ type: 'text', text: 'Done.' }]],
    })),
    agents: [],
    results: Object.fromEntries(turns.flat().map(({ call, result }) => [call.id, result])),
    files: {},
    gaps: [],
    ...more,
  };
}
