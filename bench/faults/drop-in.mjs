import * as sdk from '@coxswain/drop-in';
import { playedOn } from './official-api.mjs';

/** An unchanged program has no option for limits: they are in the environment. */
function setLimits({ limits = {} }) {
  const numbers = Object.entries(limits).filter(([, value]) => typeof value === 'number');
  process.env.COXSWAIN_LIMITS = JSON.stringify({ drainMs: 1_000, ...Object.fromEntries(numbers) });
}

const { runQuery: runOne, runSession: runTurns, classOf: ownClassOf } = playedOn(sdk, setLimits);

// Its reports are warnings of the process.
process.env.COXSWAIN_WARNINGS = '1';
const reports = [];
process.on('warning', ({ name, code }) => name === 'CoxswainWarning' && reports.push(code));

export const runQuery = (scenario) => watched(runOne(scenario));
export const runSession = (scenario) => watched(runTurns(scenario));

async function watched(run) {
  const outcome = await run;
  // Warnings are emitted in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  return { ...outcome, reports };
}

/** Its errors have the class and the text of the official SDK; the typed error is their cause. */
export function classOf(error) {
  const { cause } = error ?? {};
  return cause instanceof Error && 'code' in cause ? cause.name : ownClassOf(error);
}
