import type { ProcessInfo } from './processes.ts';
import { waitUntil } from './wait-until.ts';

/** Waits until no process of a scene runs: killed processes may still be exiting after the end of their CLI. */
export async function noneLeft(scene: { processes(): ProcessInfo[] }, timeoutMs = 5_000): Promise<void> {
  await waitUntil(() => scene.processes().length === 0, { timeoutMs, what: 'the end of all processes' });
}
