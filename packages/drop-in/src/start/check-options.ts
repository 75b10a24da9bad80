import type { Options } from '../declarations/options.ts';
import { abortError } from '../errors.ts';

/** Throws for options that contradict each other. Unknown options are ignored. @throws Error, AbortError */
export function checkOptions(options: Options): void {
  if (options.canUseTool && options.permissionPromptToolName) {
    throw new Error('canUseTool callback cannot be used with permissionPromptToolName. Please use one or the other.');
  }
  if (options.fallbackModel && options.fallbackModel === options.model) {
    throw new Error(
      'Fallback model cannot be the same as the main model. Please specify a different model for fallbackModel option.',
    );
  }
  if (options.supportedDialogKinds && !options.onUserDialog) {
    throw new Error('supportedDialogKinds requires an onUserDialog callback: nothing else can answer these dialogs.');
  }
  if (options.sessionStore) {
    if (options.persistSession === false) {
      throw new Error(
        'sessionStore cannot be used with persistSession: false: the store receives what the CLI writes to disk.',
      );
    }
    if (options.enableFileCheckpointing) {
      throw new Error(
        'enableFileCheckpointing is not yet supported with sessionStore: the store does not receive checkpoints.',
      );
    }
    if (options.continue && !options.resume && !options.sessionStore.listSessions) {
      throw new Error('Options.continue with sessionStore requires store.listSessions to be implemented');
    }
  }
  if (options.mcpServersDelivery !== undefined && !SERVER_DELIVERIES.includes(options.mcpServersDelivery)) {
    throw new Error("Invalid mcpServersDelivery. Expected 'argv' or 'initialize'.");
  }
  for (const { type } of options.plugins ?? []) {
    // Programs in JavaScript pass others.
    if (type !== 'local') throw new Error(`Unsupported plugin type: ${type}`);
  }
  if (options.abortController?.signal.aborted) {
    throw abortError('Operation aborted', options.abortController.signal.reason);
  }
}

const SERVER_DELIVERIES: readonly string[] = ['argv', 'initialize'];
