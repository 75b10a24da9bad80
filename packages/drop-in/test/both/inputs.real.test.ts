import type { SDKUserMessage } from '@coxswain/drop-in';
import { waitUntil } from '../../../../conformance/harness/wait-until.ts';
import { compare } from './compare.ts';
import { errorOf, userMessage } from './facts.ts';
import type { Stage } from './stage.ts';

const ABORTED = { name: 'Error', message: 'Operation aborted', abort: true };

compare(
  '[U-2] an input of which the query reads no more',
  async (stage) => ({
    'after close(): its finally blocks': await finallyAfter(stage, (query) => query.close()),
    'after an abort: its finally blocks': await finallyAfter(stage, (_, abortController) => abortController.abort()),
    'after the end of the CLI: its finally blocks': await finallyAfter(stage, () => {}, 'exit 0'),
    'of streamInput(), after the end': await lateInput(stage, 'Late.'),
    'of streamInput(), after the end, without a prompt': await lateInput(stage),
    'that yields null': await endOf(stage, null),
    'that contains itself': await endOf(stage, circular()),
    'that yields a text': await endOf(stage, 'Ignored by the CLI.'),
  }),
  {
    'after close(): its finally blocks': 'run',
    'after an abort: its finally blocks': 'run',
    'after the end of the CLI: its finally blocks': 'run',
    'of streamInput(), after the end': {
      name: 'Error',
      message: 'ProcessTransport is not ready for writing',
      abort: false,
    },
    'of streamInput(), after the end, without a prompt': 'nothing',
    'that yields null': ABORTED,
    'that contains itself': ABORTED,
    'that yields a text': 'nothing',
  },
);

/** Ends a query at its first message, lets its input continue, and waits for the `finally` block of the input. */
async function finallyAfter(
  stage: Stage,
  end: (query: ReturnType<Stage['sdk']['query']>, abortController: AbortController) => void,
  last = 'cat > /dev/null',
): Promise<string> {
  let proceed: () => void = () => {};
  const mayProceed = new Promise<void>((resolve) => (proceed = resolve));
  let isDone = false;
  async function* input(): AsyncGenerator<SDKUserMessage> {
    try {
      yield userMessage('One.');
      await mayProceed;
      for (;;) yield userMessage('Not read.');
    } finally {
      isDone = true;
    }
  }
  const abortController = new AbortController();
  const options = { pathToClaudeCodeExecutable: answeringOnce(stage, last), abortController };
  await stage.run(input(), options, (_, query) => end(query, abortController));
  proceed();
  await waitUntil(() => isDone);
  return 'run';
}

/** What `streamInput()` does with these prompts after the end of a query. */
async function lateInput(stage: Stage, ...prompts: readonly string[]): Promise<unknown> {
  const { query } = await stage.run('Hi.', { pathToClaudeCodeExecutable: answeringOnce(stage, 'exit 0') });
  async function* late(): AsyncGenerator<SDKUserMessage> {
    for (const prompt of prompts) yield userMessage(prompt);
  }
  const error = await query.streamInput(late()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return errorOf(error, stage.sdk);
}

/** The error of a query whose input yields a prompt, and this value of a program in JavaScript once it is answered. */
async function endOf(stage: Stage, value: unknown): Promise<unknown> {
  let answered: () => void = () => {};
  const isAnswered = new Promise<void>((resolve) => (answered = resolve));
  async function* input(): AsyncGenerator<SDKUserMessage> {
    yield userMessage('One.');
    await isAnswered;
    yield value as SDKUserMessage; // The compiler would refuse it.
  }
  const options = { pathToClaudeCodeExecutable: answeringOnce(stage, 'cat > /dev/null') };
  const { thrown } = await stage.run(input(), options, () => answered());
  return errorOf(thrown, stage.sdk);
}

function circular(): object {
  const message: Record<string, unknown> = { ...userMessage('Two.') };
  message.self = message;
  return message;
}

/** A CLI that answers one prompt. */
function answeringOnce(stage: Stage, last: string): string {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Hi.', session_id: 's', uuid: 'u' };
  return stage.script('read line; read line', `echo '${JSON.stringify(result)}'`, last);
}
