import type { Capabilities } from './capabilities.ts';

/** The capabilities of a CLI that has not told any yet. */
export const NOTHING_SAID: Capabilities = {
  cliVersion: undefined,
  features: [],
  tools: [],
  model: undefined,
  permissionMode: undefined,
  outputStyles: [],
  mcpServers: [],
};
