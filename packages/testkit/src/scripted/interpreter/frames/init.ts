import { asJson, type JsonObject } from '../../../json.ts';
import { INIT_CONSTANTS } from '../../../messages/init-constants.ts';
import { configDir, projectName } from '../config-paths.ts';
import type { Conversation } from '../conversation.ts';
import { isRemoved } from '../permission-terms.ts';
import { type Turn, uuidsOf } from '../turn.ts';

/** The state of the session, sent at the start of every turn. */
export function initFrame(conversation: Conversation, turn: Turn): JsonObject {
  const { world, script, sessionId } = conversation;
  const config = configDir(world);
  const uuids = uuidsOf(turn);
  return {
    type: 'system',
    subtype: 'init',
    cwd: world.cwd,
    session_id: sessionId,
    tools: availableTools(conversation),
    mcp_servers: [...conversation.mcpServers.values()].map(({ name, status }) => ({ name, status, source: 'sdk' })),
    model: conversation.model,
    permissionMode: conversation.permissionMode,
    slash_commands: commands.map(({ name }) => name),
    terminal_slash_commands: ['doctor', 'color', 'focus', 'reload-plugins'],
    apiKeySource: apiKeySource(conversation),
    claude_code_version: script.cli.version,
    agents: agents.map(({ name }) => name),
    skills: ['debug', 'code-review', 'simplify'],
    uuid: world.newId(),
    memory_paths: { auto: `${config}/projects/${projectName(world.cwd)}/memory/` },
    original_cwd: world.cwd,
    additional_directories: conversation.args.flags.get('--add-dir') ?? [],
    messaging_socket_path: `/tmp/cc-socks/${world.pid}.sock`,
    ...asJson(INIT_CONSTANTS),
    ...(uuids.length > 0 && { user_message_uuids: uuids }),
  };
}

/** The tools the agent has in this session. */
function availableTools(conversation: Conversation): string[] {
  const { script, args, mcpServers, initialized } = conversation;
  const { flags } = args;
  const given = flags.get('--tools');
  const base =
    script.cli.tools ?? (given === undefined || given.includes('default') ? defaultTools : given.join(',').split(','));
  const asking = args.asksPermission ? ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'] : [];
  const structured = flags.has('--json-schema') || initialized?.jsonSchema !== undefined ? ['StructuredOutput'] : [];
  const hosted = [...mcpServers.values()].flatMap(({ name, tools }) =>
    tools.map((tool) => `mcp__${name}__${tool.name}`),
  );
  return [...base, ...asking, ...structured, ...hosted].filter((tool) => tool !== '' && !isRemoved(conversation, tool));
}

export function apiKeySource({ world }: Conversation): string {
  return world.env.ANTHROPIC_API_KEY === undefined ? 'none' : 'ANTHROPIC_API_KEY';
}

export const commands: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'debug', description: 'Debug the session' },
  { name: 'code-review', description: 'Review the changes' },
  { name: 'simplify', description: 'Simplify the changed code' },
  { name: 'clear', description: 'Start a new conversation' },
  { name: 'compact', description: 'Compact the conversation' },
  { name: 'context', description: 'Show what fills the context' },
  { name: 'init', description: 'Write a CLAUDE.md' },
  { name: 'model', description: 'Change the model' },
  { name: 'usage', description: 'Show the usage' },
];

export const agents: readonly { readonly name: string; readonly description: string; readonly model?: string }[] = [
  { name: 'claude', description: 'Catch-all for any task' },
  { name: 'Explore', description: 'Fast read-only search agent', model: 'inherit' },
  { name: 'general-purpose', description: 'General-purpose agent' },
  { name: 'Plan', description: 'Software architect agent', model: 'inherit' },
];

const defaultTools: readonly string[] = [
  'Task',
  'Bash',
  'CronCreate',
  'CronDelete',
  'CronList',
  'Edit',
  'EnterWorktree',
  'ExitWorktree',
  'ListAgents',
  'Monitor',
  'NotebookEdit',
  'Read',
  'ReportFindings',
  'ScheduleWakeup',
  'SendMessage',
  'Skill',
  'TaskStop',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Workflow',
  'Write',
];
