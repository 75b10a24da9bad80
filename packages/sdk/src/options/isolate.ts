import { isJsonObject } from '../wire/kinds.ts';
import { type Check, either, list, oneOf, shape, text } from './checks.ts';
import type { AgentOptions, IsolateOptions } from './option-types.ts';

const absolutePath = text({ pattern: /^\/./, what: 'an absolute path other than /' });

export const isolateCheck: Check = either(
  isJsonObject,
  shape({
    program: absolutePath,
    readable: list(absolutePath),
    writable: list(absolutePath),
    network: either(isJsonObject, shape({ proxy: absolutePath }, { needs: ['proxy'] }), oneOf('host', 'none')),
  }),
  oneOf('bubblewrap'),
);

/** The isolation that the options ask for. */
export function isolationIn({ isolate }: Pick<AgentOptions, 'isolate'>): IsolateOptions | undefined {
  return isolate === 'bubblewrap' ? {} : isolate;
}
