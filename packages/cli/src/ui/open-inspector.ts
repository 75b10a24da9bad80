import { type InspectOptions, type Inspector, inspect, type Watchable } from '@coxswain/inspector';
import { UsageError } from '../exit-codes.ts';

/** The port of the page, so that its address can be kept; if it is taken, a free one. */
const USUAL_PORT = 4680;

/** Opens the page, at the usual port unless another one is asked for. @throws UsageError, InspectorStartError */
export async function openInspector(targets: readonly Watchable[], options: InspectOptions): Promise<Inspector> {
  try {
    return await inspect(targets, { ...options, port: options.port ?? USUAL_PORT });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'inspector-start' && options.port === undefined) return inspect(targets, { ...options, port: 0 });
    if (code === 'options' && error instanceof Error) throw new UsageError(error.message);
    throw error;
  }
}
