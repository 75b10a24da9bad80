import type { AgentOptions } from 'coxswain';
import { canAsk, type Terminal } from '../terminal/terminal.ts';
import { demoAgent, READABLE_MS } from './agent.ts';

/** The options that put the scripted agent in the place of the CLI: no process, no key, no network. */
export async function demoOptions(terminal: Terminal, resume?: string): Promise<Pick<AgentOptions, 'transport'>> {
  const { inMemoryCli } = await import('@coxswain/testkit');
  const agent = demoAgent({ paceMs: paceMs(terminal), canAsk: canAsk(terminal), resume });
  return { transport: inMemoryCli(agent).transport };
}

/** At a readable pace on a terminal; `COX_DEMO_PACE_MS` sets another. */
function paceMs({ env, stderr }: Terminal): number {
  const wanted = Number.parseInt(env.COX_DEMO_PACE_MS ?? '', 10);
  if (Number.isInteger(wanted) && wanted >= 0) return wanted;
  return stderr.isTTY === true ? READABLE_MS : 0;
}
