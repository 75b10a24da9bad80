import { readdirSync } from 'node:fs';
import type { Scenario } from './scenario.ts';

/** All scenarios, in the order of their names. */
export async function allScenarios(): Promise<readonly Scenario[]> {
  const folder = new URL('./cases/', import.meta.url);
  const files = readdirSync(folder).sort();
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  return modules.map((module: { readonly default: Scenario }) => module.default);
}
