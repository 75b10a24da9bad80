import { checkObjectPattern, checkToolName } from './arguments.ts';
import type { ToolName } from './call.ts';
import { callsOf, findCall } from './calls.ts';
import type { Pattern } from './pattern.ts';
import { sortOut } from './received.ts';
import type { Verdict } from './verdict.ts';

/** The model called this tool. */
export function toHaveUsedTool(received: unknown, name: ToolName, input?: Pattern): Verdict {
  checkToolName('toHaveUsedTool', name);
  checkObjectPattern('toHaveUsedTool', 'input', input);
  const calls = callsOf(sortOut(received, ['messages']));
  return findCall('the model to have used', calls, { name, input }, () => true);
}

/** The host was asked about this call. */
export function toHaveAskedAbout(received: unknown, name: ToolName, input?: Pattern): Verdict {
  checkToolName('toHaveAskedAbout', name);
  checkObjectPattern('toHaveAskedAbout', 'input', input);
  const calls = callsOf(sortOut(received, ['messages']));
  return findCall('the host to have been asked about', calls, { name, input }, ({ asked }) => asked === true);
}

/** This call was refused. */
export function toHaveRefusedTool(received: unknown, name: ToolName, input?: Pattern): Verdict {
  checkToolName('toHaveRefusedTool', name);
  checkObjectPattern('toHaveRefusedTool', 'input', input);
  const calls = callsOf(sortOut(received, ['messages', 'runs']));
  return findCall('a refusal of', calls, { name, input }, ({ outcome }) => outcome === 'refused');
}

/** This call was executed. */
export function toHaveRunTool(received: unknown, name: ToolName, input?: Pattern): Verdict {
  checkToolName('toHaveRunTool', name);
  checkObjectPattern('toHaveRunTool', 'input', input);
  const calls = callsOf(sortOut(received, ['messages', 'runs']));
  return findCall('a run of', calls, { name, input }, ({ outcome }) => outcome === 'ran');
}
