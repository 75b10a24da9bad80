import { type JsonObject, objectOf } from '../../json.ts';
import { configDir } from './config-paths.ts';
import type { Conversation } from './conversation.ts';
import { agents, apiKeySource, commands } from './frames/init.ts';
import { models } from './models.ts';

/** The CLI's answer to the host's handshake. */
export function initializeResponse(conversation: Conversation, hooksApplied: boolean): JsonObject {
  const { script, world, initialized } = conversation;
  const given = Object.entries(objectOf(initialized?.agents) ?? {});
  const carriesServers = Object.keys(objectOf(initialized?.mcpServers) ?? {}).length > 0;
  return {
    commands: commands.map((command) => ({ ...command, argumentHint: '', builtin: true })),
    agents: [...agents, ...given.map(([name, agent]) => ({ name, ...objectOf(agent) }))],
    output_style: 'default',
    available_output_styles: ['default', 'Concise', 'Explanatory'],
    user_output_styles_dir: `${configDir(conversation.world)}/output-styles`,
    models: modelList(conversation),
    account: { tokenSource: 'none', apiKeySource: apiKeySource(conversation), apiProvider: 'firstParty' },
    pid: world.pid,
    claude_code_version: script.cli.version,
    current_permission_mode: conversation.permissionMode,
    ...(hooksApplied && { hooks_applied: true }),
    ...(carriesServers && { mcp_servers_applied: conversation.args.flags.has('--await-initialize') }),
    hook_on_failure_supported: true,
    hooks_when_unanswered_kept: true,
    other_hook_ask_outranks_host: true,
    feedback_mode: { kind: 'disabled' },
    analytics_disabled: true,
    remote_control_auto_enable: false,
    remote_control_auto_connect_default: false,
    remote_control_available: false,
    remote_control_auto_on_by_default: false,
    ide_rc_auto_enable_gate: false,
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    session_state: conversation.turn ? 'running' : 'idle',
    capabilities: ['ui_surface_v1'],
    ...script.cli.initialize,
  };
}

/** The models, as listed by `initialize` and `list_models`. */
export function modelList({ usualModel }: Conversation): readonly JsonObject[] {
  const described = models.map(({ alias, id, name }) => model(alias, id, name));
  return [model('default', usualModel, 'Default (recommended)'), ...described];
}

function model(value: string, resolvedModel: string, displayName: string): JsonObject {
  return {
    value,
    resolvedModel,
    displayName,
    description: `${displayName} · scripted`,
    supportsEffort: true,
    supportedEffortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
    supportsAdaptiveThinking: true,
    supportsFastMode: true,
    supportsAutoMode: true,
    supportsThinkingOff: false,
  };
}
