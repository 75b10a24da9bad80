import type { CliInspection, InspectOptions } from '../cli/inspect.ts';
import { loadEngine } from './load-engine.ts';

/** Tells which CLI a run would use and whether it is new enough. Never throws and never downloads. */
export async function inspectCli(options: InspectOptions = {}): Promise<CliInspection> {
  const engine = await loadEngine();
  return engine.inspectCli(options);
}
