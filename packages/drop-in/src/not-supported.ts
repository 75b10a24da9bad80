import type { DeniedModelsMatch } from './declarations/settings.ts';
import { NotSupportedError } from './errors.ts';

const UNDOCUMENTED = 'the official SDK exports it without a type, so there is nothing to be compatible with.';

/** @throws NotSupportedError */
export async function matchDeniedModels(
  _models: readonly string[],
  _deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  throw new NotSupportedError('matchDeniedModels', 'only the CLI defines how names are matched.');
}

/** A class that cannot be constructed. */
export class CommandMatcher {
  constructor() {
    throw new NotSupportedError('CommandMatcher', UNDOCUMENTED);
  }
}

export class FileIndex {
  constructor() {
    throw new NotSupportedError('FileIndex', UNDOCUMENTED);
  }
}

export class DirectConnectTransport {
  constructor() {
    throw new NotSupportedError('DirectConnectTransport', `${UNDOCUMENTED} Use a transport of coxswain.`);
  }
}

/** For `instanceof`; the drop-in never throws it. */
export class DirectConnectError extends Error {}

/** @throws NotSupportedError */
export function parseDirectConnectUrl(): never {
  throw new NotSupportedError('parseDirectConnectUrl', UNDOCUMENTED);
}
