import { type JsonObject, objectOf } from '../../json.ts';
import type { Respond } from './answers.ts';
import type { Conversation } from './conversation.ts';
import { agents, commands } from './frames/init.ts';

/** Answers the requests that list what a session has, or read it again. */
export const listings: Readonly<
  Record<string, (conversation: Conversation, request: JsonObject, reply: Respond) => void>
> = {
  list_permission_rules({ args, settings, world }, _request, reply) {
    const rules = [
      ...rulesOf(args.flags, { allow: ['--allowedTools', '--allowed-tools'] }),
      ...rulesOf(args.flags, { deny: ['--disallowedTools', '--disallowed-tools'] }),
      ...rulesIn({ ...world.settings, ...settings }),
    ];
    reply.success({ state: { rules, workspaceDirectories: [], originalCwd: world.cwd, managedOnly: false } });
  },
  get_hooks_listing(_conversation, _request, reply) {
    reply.success({ events: [], hooks: [], eventCatalog: [] });
  },
  reload_plugins(_conversation, _request, reply) {
    reply.success({ commands, agents, plugins: [], mcpServers: [], error_count: 0 });
  },
  reload_skills(_conversation, _request, reply) {
    reply.success({ skills: [] });
  },
  reload_output_styles(_conversation, _request, reply) {
    reply.success({ available_output_styles: ['default', 'Concise', 'Explanatory'] });
  },
  mcp_read_resource({ mcpServers }, { serverName, uri }, reply) {
    if (!String(uri).startsWith('ui://')) return reply.error('mcp_read_resource: uri must use the ui:// scheme');
    if (!mcpServers.has(String(serverName))) return reply.error(`Server not found: ${serverName}`);
    reply.success({ contents: [] });
  },
  get_task_output({ background }, { task_id: id }, reply) {
    if (background.has(String(id))) return reply.success({ output: '', total_bytes: 0, truncated: false });
    reply.error('get_task_output: no shell or Monitor task with that task_id in this session');
  },
};

/** The rules on the command line. */
function rulesOf(
  flags: ReadonlyMap<string, readonly string[]>,
  named: Readonly<Record<string, readonly string[]>>,
): JsonObject[] {
  return Object.entries(named).flatMap(([behavior, names]) =>
    names
      .flatMap((name) => flags.get(name) ?? [])
      .flatMap((list) => list.split(/,(?![^(]*\))/))
      .filter((rule) => rule !== '')
      .map((rule) => ({ behavior, source: 'cliArg', rule, editability: 'session' })),
  );
}

/** The rules in settings. */
function rulesIn({ permissions }: JsonObject): JsonObject[] {
  const given = objectOf(permissions) ?? {};
  return ['deny', 'ask', 'allow'].flatMap((behavior) => {
    const rules = given[behavior];
    if (!Array.isArray(rules)) return [];
    return rules.map((rule) => ({ behavior, source: 'flagSettings', rule: String(rule), editability: 'readonly' }));
  });
}
