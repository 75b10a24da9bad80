import { indented, oneLine } from '../transcript/cut.ts';
import { fieldsOf, listIn } from '../transcript/fields.ts';

/** The CLI's report at its start, for people. */
export function setupOf(
  init: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, string> {
  const servers = listIn(init, 'mcp_servers').map(fieldsOf);
  const setup: Record<string, unknown> = {
    'Claude Code': init.claude_code_version,
    'Permission mode': init.permissionMode,
    Tools: listIn(init, 'tools').join(', '),
    'MCP servers': servers.map((server) => `${String(server.name)} (${String(server.status)})`).join(', '),
    Agents: listIn(init, 'agents').join(', '),
  };
  const shown = Object.entries(setup).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : indented(value),
  ]);
  return Object.fromEntries(
    shown.filter(([, text]) => text).map(([name, text = '']) => [name, oneLine(redact(text), 2_000)]),
  );
}
