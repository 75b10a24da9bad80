/**
 * True for structural parts of a frame: fields that programs depend on, which must stay unchanged even if a secret equals their
 * value. Text written by people, tools or the model is never structural.
 */
export function isStructure(key: string, text: string): boolean {
  return (NAMING.has(key) && WORD.test(text)) || (IDENTIFYING.test(key) && IDENTIFIER.test(text));
}

/** True if people, tools or the model wrote the content of this field, so that its own field names are meaningless. */
export function isPayload(key: string, around: Readonly<Record<string, unknown>>): boolean {
  // A hook's input has the shape of a message; a tool's input has the shape of the tool.
  return PAYLOAD.has(key) && !(key === 'input' && around.subtype === 'hook_callback');
}

const WORD = /^[A-Za-z][A-Za-z_-]*$/;
const IDENTIFIER = /^[\w-]+$/;
const IDENTIFYING = /(?:^|[_a-z])(?:id|Id|ids|Ids|uuid|uuids)$/;

/** Fields that contain a protocol word, or the name of a tool, a server, a command or a mode. */
const NAMING: ReadonlySet<string> = new Set([
  ...['type', 'subtype', 'kind', 'role', 'status', 'state', 'origin', 'source', 'trigger', 'method', 'model', 'mode'],
  ...['name', 'tool_name', 'toolName', 'server_name', 'serverName', 'mcp_server_name', 'tools', 'skills', 'agents'],
  ...['slash_commands', 'sdkMcpServers', 'event', 'hook_event_name', 'hookEventName', 'hook_name', 'hook_event'],
  ...['permissionMode', 'permission_mode', 'behavior', 'decision', 'permissionDecision', 'destination', 'action'],
  ...['stop_reason', 'terminal_reason', 'error_code', 'rateLimitType', 'apiKeySource', 'output_style', 'outcome'],
]);

const PAYLOAD: ReadonlySet<string> = new Set([
  ...['input', 'tool_input', 'updatedInput', 'arguments', 'structured_output', 'structuredContent', 'tool_response'],
  ...['tool_use_result', 'toolUseResult', 'settings', 'effective', 'env', 'headers', 'config'],
]);
