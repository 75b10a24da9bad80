import { ToolServerBusyError } from '../errors/tool.ts';

/** Kept on the server object itself: no list of servers in use, and two copies of the package see the same mark. */
const HELD = Symbol.for('coxswain.mcp.held');

/** Takes a server object for one session; returns what gives it back. @throws ToolServerBusyError */
export function claim(name: string, server: object): () => void {
  if (Reflect.get(server, HELD) === true || isConnected(server)) throw new ToolServerBusyError(name);
  // A frozen object cannot be marked; such a server has to refuse a second connect() by itself.
  Reflect.defineProperty(server, HELD, { value: true, configurable: true });
  return () => void Reflect.deleteProperty(server, HELD);
}

/** Whether somebody else has connected it: `McpServer` says so, the low-level `Server` shows its transport. */
function isConnected(server: object): boolean {
  const ask: unknown = Reflect.get(server, 'isConnected');
  if (typeof ask === 'function') return ask.call(server) === true;
  const transport: unknown = Reflect.get(server, 'transport');
  return typeof transport === 'object' && transport !== null && 'send' in transport;
}
