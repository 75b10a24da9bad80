import type { ContentBlock } from '../wire/messages.ts';
import { arrayField, field, isObject, stringField } from './read.ts';

/** The block with one more piece; `undefined` when the piece does not fit it. The block itself stays as it is. */
export function grown(block: ContentBlock, delta: unknown): ContentBlock | undefined {
  switch (field(delta, 'type')) {
    case 'text_delta':
      return block.type === 'text' ? { ...block, text: joined(block, 'text', delta) } : undefined;
    case 'citations_delta':
      return block.type === 'text' ? { ...block, citations: cited(block, delta) } : undefined;
    case 'thinking_delta':
      return block.type === 'thinking' ? { ...block, thinking: joined(block, 'thinking', delta) } : undefined;
    case 'signature_delta':
      return block.type === 'thinking' ? { ...block, signature: stringField(delta, 'signature') ?? '' } : undefined;
    case 'input_json_delta':
      return takesInput(block) ? { ...block, partial_json: joined(block, 'partial_json', delta) } : undefined;
    case 'compaction_delta':
      return block.type === 'compaction' ? { ...block, content: joined(block, 'content', delta) } : undefined;
    default:
      return undefined;
  }
}

/** The block with its input parsed, if that came in pieces. */
export function settled(block: ContentBlock): ContentBlock {
  if (!takesInput(block) || block.partial_json === undefined) return block;
  const input = parsed(block.partial_json);
  if (!isObject(input)) return block;
  const { partial_json: _, ...rest } = block;
  return { ...rest, input };
}

/** Appending is cheap however long the text is: the engine joins the pieces when somebody reads it. */
function joined(block: ContentBlock, name: string, delta: unknown): string {
  return (stringField(block, name) ?? '') + (stringField(delta, name) ?? '');
}

function cited(block: ContentBlock, delta: unknown): Record<string, unknown>[] {
  return [...arrayField(block, 'citations'), field(delta, 'citation')].filter(isObject);
}

type InputBlock = Extract<ContentBlock, { readonly partial_json?: string; readonly input: unknown }>;

function takesInput(block: ContentBlock): block is InputBlock {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
