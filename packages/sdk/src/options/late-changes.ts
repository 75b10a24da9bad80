import { checking, OptionsError } from '../errors/options.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { HOOKS_OFF, hasHooks, NO_HOOKS_VARIABLE, switchesHooksOff } from './hooks-off.ts';
import type { McpServerConfig } from './mcp-server-config.ts';
import { checkOperation } from './operation.ts';
import type { AgentOptions } from './option-types.ts';
import { requiresSandbox } from './sandbox.ts';
import { namedServers, ownServers } from './sdk-server.ts';
import { checkDeniedServers, checkServerNames } from './server-names.ts';

/**
 * Checks MCP servers that are set in a running session. Returns a copy of them, and the options with that copy instead of the
 * external servers. @throws OptionsError
 */
export function withServers(
  given: AgentOptions,
  set: Servers,
): { readonly given: AgentOptions; readonly servers: Servers } {
  const { servers } = checkOperation({ servers: set });
  const own = ownServers(given.mcpServers ?? {});
  return checking((report) => {
    const named = [...namedServers(own, 'mcpServers'), ...namedServers(servers, 'servers')];
    checkServerNames(named, given.allowedTools ?? [], report);
    checkDeniedServers(named, given.disallowedTools ?? [], 'disallowedTools', report);
    return { given: { ...given, mcpServers: { ...own, ...servers } }, servers };
  });
}

type Servers = Readonly<Record<string, McpServerConfig>>;

/** Refuses settings that turn hooks off, or the sandbox on in a CLI that was started without one. @throws OptionsError */
export function checkLateSettings(given: AgentOptions, settings: unknown): void {
  if (hasHooks(given) && switchesHooksOff(settings))
    throw new OptionsError([{ path: `settings.env.${NO_HOOKS_VARIABLE}`, message: HOOKS_OFF }]);
  const sandbox = isJsonObject(settings) && isJsonObject(settings.sandbox) ? settings.sandbox : {};
  if (sandbox.enabled !== true || sandbox.failIfUnavailable === false || requiresSandbox(given)) return;
  checking((report) => {
    const message =
      'cannot be turned on later: the CLI checks only at its start whether a sandbox works, and runs commands without one if it does not. Pass the option sandbox, or failIfUnavailable: false.';
    report('settings.sandbox.enabled', message);
  });
}
