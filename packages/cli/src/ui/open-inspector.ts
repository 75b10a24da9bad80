import { type InspectOptions, type Inspector, inspect, type Watchable } from '@coxswain/inspector';
import { OptionsError } from 'coxswain/errors';
import { UsageError } from '../exit-codes.ts';

/** The default port of the page, so that its URL stays the same; if it is in use, a free one is chosen. */
const USUAL_PORT = 4680;

/** Opens the page, on the default port unless another one is requested. @throws UsageError, InspectorStartError */
export async function openInspector(targets: readonly Watchable[], options: InspectOptions): Promise<Inspector> {
  try {
    return await inspect(targets, { ...options, port: options.port ?? USUAL_PORT });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'inspector-start' && options.port === undefined) return inspect(targets, { ...options, port: 0 });
    if (error instanceof OptionsError) throw new UsageError(error.problems.map(inFlags).join('\n'));
    throw error;
  }
}

/** The problem of an option of `inspect`, worded for flags. */
function inFlags({ path, message }: OptionsError['problems'][number]): string {
  const about = FLAGS.get(path);
  const text = WORDS.reduce((words, [option, flag]) => words.replaceAll(option, flag), message);
  return about === undefined ? text : `${about} ${text}`;
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['host', '--host'],
  ['port', '--port'],
  ['token', '--token'],
  ['basePath', '--base-path'],
  ['allowedHosts', '--allowed-host'],
]);

const WORDS: readonly (readonly [string, string])[] = [
  ['list the host names of the inspector in allowedHosts', 'pass each host name of the inspector with --allowed-host'],
  ['set a token, or auth', 'pass --token, or set COX_UI_TOKEN'],
];
