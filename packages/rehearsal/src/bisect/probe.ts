import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import { type ApiRequest, startFakeApi, text } from '@coxswain/testkit';
import { query } from 'coxswain';
import { RehearsalError } from '../rehearsal-error.ts';
import { cliPath } from '../stage/cli-release.ts';
import { LONGEST_WAIT_MS, PATIENT } from '../stage/patience.ts';

/** The first request that a release sends for a prompt. */
export interface ProbedRequest {
  readonly model: string;
  readonly effort: string | undefined;
  readonly thinking: string | undefined;
  readonly maxTokens: number | undefined;
  readonly betas: readonly string[];
  readonly tools: readonly string[];
  readonly deferredTools: readonly string[];
  /** The system prompt as one text. */
  readonly system: string;
  /** The messages as JSON. */
  readonly messages: string;
}

/**
 * Sends one prompt with a release, and returns its first request. It needs no session, so releases below the oldest supported one can
 * be probed, too: their version is not checked.
 * @throws RehearsalError if the release cannot be fetched or sends no request
 */
export async function probeRelease(release: string, onProgress?: (text: string) => void): Promise<ProbedRequest> {
  const cli = await cliPath(release, onProgress);
  const cwd = await mkdtemp(join(tmpdir(), 'coxswain-rehearsal-'));
  await using api = await startFakeApi([], { fallback: text('Hello.') });
  const stream = query('Hello.', {
    ...api.agentOptions,
    cli,
    cwd,
    settingSources: [],
    versionCheck: 'off',
    timeoutMs: LONGEST_WAIT_MS,
    limits: PATIENT,
  });
  try {
    const request = api.waitForRequest(({ isMainConversation }) => isMainConversation, { timeoutMs: LONGEST_WAIT_MS });
    // Whether the run succeeds has no influence on its first request.
    const ended = stream.result().then(
      () => undefined,
      (error: unknown) => error,
    );
    const first = await Promise.race([request, ended]);
    const found = isRequest(first) ? first : api.conversation[0];
    if (found !== undefined) return requestOf(found);
    const reason = first instanceof Error ? first.message : 'it ended';
    throw new RehearsalError('release', `Claude Code ${release} sent no request: ${reason}`);
  } finally {
    await stream.close();
    await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

function isRequest(value: unknown): value is ApiRequest {
  return isObject(value) && 'isMainConversation' in value;
}

function requestOf(request: ApiRequest): ProbedRequest {
  const output = isObject(request.body.output_config) ? request.body.output_config : {};
  return {
    model: request.model,
    effort: typeof output.effort === 'string' ? output.effort : undefined,
    thinking: request.thinking === undefined ? undefined : JSON.stringify(request.thinking),
    maxTokens: request.maxTokens,
    betas: request.betas,
    tools: request.tools,
    deferredTools: request.deferredTools,
    system: request.system,
    messages: JSON.stringify(request.body.messages ?? []),
  };
}
