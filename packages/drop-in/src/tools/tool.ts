import type {
  AnyZodRawShape,
  CallToolResult,
  InferShape,
  SdkMcpToolDefinition,
  ToolExtras,
} from '../declarations/mcp.ts';

/** Defines a tool. Its schema is a raw shape of zod 3 or 4. */
export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>,
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Schema> {
  const { annotations, searchHint, alwaysLoad } = extras;
  const meta = {
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...(alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(annotations ? { annotations } : {}),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}
