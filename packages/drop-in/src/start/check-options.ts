import type { Options } from '../declarations/options.ts';
import { AbortError } from '../errors.ts';

/** Throws for options that contradict each other. Unknown options are ignored. @throws Error, AbortError */
export function checkOptions(options: Options): void {
  if (options.canUseTool && options.permissionPromptToolName !== undefined) {
    throw new Error('canUseTool callback cannot be used with permissionPromptToolName. Please use one or the other.');
  }
  if (options.fallbackModel !== undefined && options.fallbackModel === options.model) {
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
        'sessionStore cannot be used with enableFileCheckpointing: the store does not receive checkpoints.',
      );
    }
    if (options.continue && !options.resume && !options.sessionStore.listSessions) {
      throw new Error('continue with a sessionStore requires its method listSessions.');
    }
  }
  if (options.abortController?.signal.aborted) throw aborted(options.abortController.signal.reason);
}

function aborted(cause: unknown): AbortError {
  return new AbortError('Operation aborted', { cause });
}
