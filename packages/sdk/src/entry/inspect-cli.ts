import type { CliInspection, InspectOptions } from '../cli/inspect.ts';
import { engine } from './part.ts';

/** Tells which CLI a run would use and whether it is new enough. Never throws and never downloads. */
export async function inspectCli(options: InspectOptions = {}): Promise<CliInspection> {
  const loaded = await engine.load();
  return loaded.inspectCli(options);
}
