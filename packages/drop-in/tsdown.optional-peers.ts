import type { Rolldown } from 'tsdown';

const IMPORT = /^import .* from "(?:@anthropic-ai\/sdk|zod)\/[^"]*";$/gm;
const COMMENT = /^\/\*\* @ts-expect-error.*\n/gm;

/**
 * Lets programs that check the types of libraries compile without the optional peers. The bundler moves imports to the beginning
 * of the file, without the comments that were beside them.
 */
export function optionalPeers(): Rolldown.Plugin {
  return {
    name: 'optional-peers',
    renderChunk: (code) => code.replace(COMMENT, '').replace(IMPORT, '// @ts-ignore: an optional peer\n$&'),
  };
}
