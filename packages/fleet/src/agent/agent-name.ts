/** The agent of a worker with the option `agent`, and of conversations that name none. */
export const DEFAULT_AGENT = 'default';

/** The problem with the name of an agent, if any. */
export function problemOfAgentName(value: unknown): string | undefined {
  if (typeof value === 'string' && NAME.test(value)) return undefined;
  return 'must be the name of an agent: 1 to 63 letters, digits, "_", "-" or ".", beginning with a letter or a digit.';
}

const NAME = /^[A-Za-z0-9][\w.-]{0,62}$/;
