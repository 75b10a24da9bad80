import * as sdk from '@coxswain/drop-in';
import { playedOn } from './official-api.mjs';

/** A program that runs unchanged has no option for limits: they are in the environment. */
function setLimits({ limits = {} }) {
  const numbers = Object.entries(limits).filter(([, value]) => typeof value === 'number');
  process.env.COXSWAIN_LIMITS = JSON.stringify({ drainMs: 1_000, ...Object.fromEntries(numbers) });
}

const { runQuery, runSession, classOf: ownClassOf } = playedOn(sdk, setLimits);

export { runQuery, runSession };

/** Its errors have the class and the text of the official SDK; the typed error is their cause. */
export function classOf(error) {
  const { cause } = error ?? {};
  return cause instanceof Error && 'code' in cause ? cause.name : ownClassOf(error);
}
