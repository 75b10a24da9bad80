import { apiError, text, toolUse, until } from '@coxswain/testkit';
import type { AgentOptions, QueryStream } from 'coxswain';
import { NoResultError, ProcessError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { supportedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const FOREVER = until(new Promise(() => {}));
const HANGS = [text('and then'), FOREVER];

describe.concurrent.each(supportedVersions)('%s ended by a signal', (version) => {
  it('[Q-5, E-1] SIGKILL: a ProcessError with the signal', async () => {
    await using scene = await openScene([HANGS], { version });
    const { stream, messages, failure } = await readAndSend(scene, 'SIGKILL');
    expect(messages).toContain('assistant');
    expect(failure).toBeInstanceOf(ProcessError);
    expect(failure).toMatchObject({ code: 'process', exitCode: null, signal: 'SIGKILL', stdoutWasEmpty: false });
    expect(failure).toMatchObject({ hint: expect.stringContaining('OOM killer'), result: undefined });
    expect(await stream.closed).toEqual({ exitCode: null, signal: 'SIGKILL', ended: 'by-itself' });
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-5] SIGTERM: a ProcessError with code 143', async () => {
    await using scene = await openScene([HANGS], { version });
    const { failure } = await readAndSend(scene, 'SIGTERM');
    expect(failure).toMatchObject({ code: 'process', exitCode: 143, signal: null });
    expect(failure).toMatchObject({ hint: expect.stringContaining('SIGTERM') });
  });

  it('[Q-5, Q-7] SIGINT: it exits with 0, which is not a success; the error explains that the session id is now in use', async () => {
    await using scene = await openScene([HANGS], { version });
    const sessionId = '33333333-3333-4333-8333-333333333333';
    const { stream, failure } = await readAndSend(scene, 'SIGINT', { sessionId });
    expect(failure).toBeUndefined();
    expect(await stream.closed).toMatchObject({ exitCode: 0, signal: null });
    if (stream.results.length === 0) {
      expect(stream.warnings).toMatchObject([{ code: 'clean-exit-no-result' }]);
      await expect(stream.text()).rejects.toBeInstanceOf(NoResultError);
    } else await expect(stream.text()).rejects.toMatchObject({ code: 'result', outcome: 'interrupted' });

    const { terminalError } = await scene.query('hello', { sessionId }).collect();
    expect(terminalError).toMatchObject({ code: 'process', exitCode: 1, hint: expect.stringContaining('resume it') });
  });
});

describe.concurrent('after a result', () => {
  const script = [toolUse('Bash', { command: 'sleep 300', run_in_background: true }), text('launched')];

  it('[Q-4] a failed exit is a warning: the result counts', async () => {
    await using scene = await openScene(script);
    const { stream, failure } = await readAndSend(scene, 'SIGTERM', { afterResult: true });
    expect(failure).toBeUndefined();
    expect(await stream.text()).toBe('launched');
    expect(stream.warnings).toMatchObject([
      { code: 'non-zero-exit-after-result', context: { exitCode: 143, signal: null } },
    ]);
  });

  it('[Q-4] with strictExit a failed exit is an error, which carries the result', async () => {
    await using scene = await openScene(script);
    const { failure } = await readAndSend(scene, 'SIGTERM', { afterResult: true, strictExit: true });
    expect(failure).toMatchObject({ code: 'process', exitCode: 143, result: { result: 'launched' } });
  });

  it('[Q-4] exit code 1 is not reported when the result is an error', async () => {
    await using scene = await openScene([apiError(400)]);
    const stream = scene.query('hello', { strictExit: true });
    const { terminalError, warnings } = await stream.collect();
    expect(terminalError).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(await stream.closed).toMatchObject({ exitCode: 1 });
  });
});

interface Ended {
  readonly stream: QueryStream;
  readonly messages: readonly string[];
  readonly failure: unknown;
}

/** Reads until an answer or a result arrives, sends the CLI a signal, and keeps reading. */
async function readAndSend(
  scene: Scene,
  signal: NodeJS.Signals,
  { afterResult = false, ...options }: AgentOptions & { readonly afterResult?: boolean } = {},
): Promise<Ended> {
  let pid = 0;
  const stream = scene.query('continue', {
    ...options,
    allowedTools: ['Bash'],
    onEvent: (event) => {
      if (event.type === 'started') pid = event.pid ?? 0;
    },
  });
  const messages: string[] = [];
  try {
    for await (const message of stream) {
      messages.push(message.type);
      if (afterResult ? message.type === 'result' : message.type === 'assistant') process.kill(pid, signal);
    }
    return { stream, messages, failure: undefined };
  } catch (failure) {
    return { stream, messages, failure };
  }
}
