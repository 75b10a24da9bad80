import type { Options } from '../declarations/options.ts';
import type { ClaimOptions, SpareProcess } from '../declarations/query.ts';
import { NotSupportedError } from '../errors.ts';
import { open, ready } from './open.ts';
import type { LiveQuery } from './query.ts';

/**
 * Starts the CLI before its purpose is known. The claim can contain options that a running CLI can change; all others must be
 * passed here.
 */
export async function prewarm({
  options = {},
  initializeTimeoutMs = 60_000,
}: {
  options?: Options;
  initializeTimeoutMs?: number;
} = {}): Promise<SpareProcess> {
  const spare = open(options, initializeTimeoutMs);
  await ready(spare, initializeTimeoutMs);
  const parkedAt = performance.now();
  let claim: ((claimed: Claimed) => void) | undefined;
  const claimed = new Promise<Claimed>((resolve) => {
    claim = resolve;
  });
  return {
    claimed,
    exited: spare.exited,
    claim: ({ prompt, options: wanted }) => {
      if (!claim) throw new Error('SpareProcess.claim() can only be called once');
      checkClaim(wanted, options);
      const settle = claim;
      claim = undefined;
      const prepared = prepare(spare, wanted);
      prepared.catch(() => {});
      spare.begin(prompt, prepared);
      void spare.sessionId.then((sessionId) =>
        settle({ cwd: wanted.cwd, sessionId, parkedMs: Math.round(performance.now() - parkedAt), sdkMcpSettled: true }),
      );
      return spare;
    },
    close: () => {
      if (claim) spare.close();
    },
    [Symbol.asyncDispose]: async () => {
      if (claim) await spare[Symbol.asyncDispose]();
    },
  };
}

type Claimed = Awaited<SpareProcess['claimed']>;

/** @throws NotSupportedError for options that a running CLI cannot change */
function checkClaim(
  { cwd, env, additionalDirectories, appendSystemPrompt, agents }: ClaimOptions,
  options: Options,
): void {
  const fixed = { env, additionalDirectories, appendSystemPrompt, agents };
  const asked = Object.entries(fixed).find(([, value]) => value !== undefined && Object.keys(value).length > 0);
  if (asked)
    throw new NotSupportedError(`claim({ ${asked[0]} })`, 'a running CLI cannot change it. Pass it to prewarm().');
  if (cwd !== (options.cwd ?? process.cwd())) {
    throw new NotSupportedError('claim({ cwd })', 'a running CLI cannot change it. Pass the same cwd to prewarm().');
  }
}

/** Prepares everything before the prompt is written. */
async function prepare(
  spare: LiveQuery,
  { model, permissionMode, maxThinkingTokens, settings, title }: ClaimOptions,
): Promise<void> {
  if (model !== undefined) await spare.setModel(model);
  if (permissionMode !== undefined) await spare.setPermissionMode(permissionMode);
  if (maxThinkingTokens !== undefined) await spare.setMaxThinkingTokens(maxThinkingTokens);
  if (settings !== undefined) await spare.applyFlagSettings(settings);
  if (title !== undefined) await spare.request({ subtype: 'rename_session', title });
}
