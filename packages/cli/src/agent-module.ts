import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from './exit-codes.ts';

/** The default export of a module that defines an agent. @throws UsageError if it cannot be loaded */
export async function defaultExportOf(file: string): Promise<unknown> {
  try {
    const loaded: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href);
    return loaded.default;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw new UsageError(`${file} cannot be loaded: ${whereAndWhy(error)}`);
    throw new UsageError(
      /\.[cm]?tsx?$/.test(file)
        ? `This Node cannot load ${file}. Use Node 22.18 or newer, run cox with NODE_OPTIONS="--import tsx", or compile it to JavaScript.`
        : `${file} is not a JavaScript module.`,
    );
  }
}

/** The error that an agent file threw while it was loaded, with its location if known. */
function whereAndWhy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /file:\/\/\S+?:\d+/.exec(error.stack ?? '')?.[0];
  return place === undefined ? error.message : `${error.message} (${place})`;
}
