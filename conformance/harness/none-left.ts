import type { ProcessInfo } from './processes.ts';
import { waitUntil } from './wait-until.ts';

/** Waits until nothing of a scene runs: what was killed may still be leaving when the end of its CLI is known. */
export async function noneLeft(scene: { processes(): ProcessInfo[] }, timeoutMs = 5_000): Promise<void> {
  await waitUntil(() => scene.processes().length === 0, { timeoutMs, what: 'the end of all processes' });
}
