import type { AgentOptions } from 'coxswain';
import type { Terminal } from '../terminal/terminal.ts';
import { demoAgent, READABLE_MS } from './agent.ts';

/** The options that replace the CLI by the scripted agent: no process, no key, no network. */
export async function demoOptions(terminal: Terminal, resume?: string): Promise<Pick<AgentOptions, 'transport'>> {
  const { inMemoryCli } = await import('@coxswain/testkit');
  const agent = demoAgent({ paceMs: paceMs(terminal), resume });
  return { transport: inMemoryCli(agent).transport };
}

/** Reading speed on a terminal; `COX_DEMO_PACE_MS` overrides it. */
function paceMs({ env, stderr }: Terminal): number {
  const wanted = Number.parseInt(env.COX_DEMO_PACE_MS ?? '', 10);
  if (Number.isInteger(wanted) && wanted >= 0) return wanted;
  return stderr.isTTY === true ? READABLE_MS : 0;
}
