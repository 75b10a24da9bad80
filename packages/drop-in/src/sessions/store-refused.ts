import { NotSupportedError } from '../errors.ts';

/** @throws NotSupportedError */
export function refuseStore({ sessionStore }: { sessionStore?: unknown }): void {
  if (sessionStore)
    throw new NotSupportedError('sessionStore', 'the session store of coxswain is not connected to it yet.');
}
