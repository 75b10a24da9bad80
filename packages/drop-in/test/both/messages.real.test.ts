import { randomUUID } from 'node:crypto';
import { delay, text, thinking, toolUse } from '@coxswain/testkit';
import { compare, SAME } from './compare.ts';
import { errorOf, Input, keysOf, label, labels, outcomeOf, userMessage } from './facts.ts';
import { readAll } from './stage.ts';

compare(
  '[U-2] a text prompt',
  async (stage) => {
    stage.say(text('Hello.'));
    const abortController = new AbortController();
    const { query, messages, thrown, returned, result } = await stage.run('Greet me.', { abortController });
    const untouched = !abortController.signal.aborted;
    abortController.abort();
    const again: string[] = [];
    for await (const message of query) again.push(label(message));
    const { subtype, is_error, num_turns, stop_reason, permission_denials } = result ?? {};
    return {
      'order of messages': messages.map(label),
      'fields of the messages': messages.map(keysOf),
      'the end': { thrown: errorOf(thrown, stage.sdk), returned: returned ?? null },
      'the result': { subtype, is_error, num_turns, stop_reason, permission_denials },
      'text of the result': result?.subtype === 'success' ? result.result : null,
      'one session': new Set(messages.map(({ session_id }) => session_id)).size,
      'the abort controller is left alone': untouched,
      'next() after the end and an abort': [await query.next(), await query.next()],
      'a second loop': again,
      'return() after the end': await query.return(),
      'close() after the end': query.close() ?? null,
      'processes left': await stage.left(),
      'what the model reads': stage.lastRequest.turns.filter(({ role }) => role === 'user').map((turn) => turn.text),
      'system prompt without the option': stage.lastRequest.system.split('\n').slice(1).join('\n'),
    };
  },
  {
    'order of messages': ['system init', 'assistant text', 'result success'],
    'fields of the messages': SAME,
    'the end': { thrown: 'nothing', returned: null },
    'the result': {
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      stop_reason: 'end_turn',
      permission_denials: [],
    },
    'text of the result': 'Hello.',
    'one session': 1,
    'the abort controller is left alone': true,
    'next() after the end and an abort': [{ done: true }, { done: true }],
    'a second loop': [],
    'return() after the end': { done: true },
    'close() after the end': null,
    'processes left': 0,
    'what the model reads': ['Greet me.'],
    'system prompt without the option': SAME,
  },
);

compare(
  '[U-2] a tool call with partial messages',
  async (stage) => {
    stage.say(
      [thinking('Where is it?'), toolUse('Read', { file_path: stage.file('none.txt') })],
      text('It is not there.', { chunkSize: 4 }),
    );
    const { messages, result } = await stage.run('Read it.', { includePartialMessages: true });
    const toolResult = messages.find((message) => message.type === 'user');
    return {
      'order of messages': labels(messages),
      'fields of the tool result': keysOf(toolResult),
      'turns counted': result?.num_turns,
      usage: [result?.usage.input_tokens, result?.usage.output_tokens],
      models: Object.keys(result?.modelUsage ?? {}),
    };
  },
  {
    'order of messages': SAME,
    'fields of the tool result': SAME,
    'turns counted': 2,
    usage: [20, 10],
    models: ['claude-sonnet-5-5'],
  },
);

compare(
  '[U-2] an iterable prompt of two turns',
  async (stage) => {
    stage.say(text('First.'), text('Second.'));
    const [first, second] = [randomUUID(), randomUUID()];
    const input = new Input(userMessage('One.', { uuid: first }));
    let results = 0;
    const { messages, thrown } = await stage.run(input, { extraArgs: { 'replay-user-messages': null } }, (message) => {
      if (message.type !== 'result') return;
      results += 1;
      if (results === 1) input.send(userMessage('Two.', { uuid: second }));
      else input.end();
    });
    const echoes = messages.filter((message) => message.type === 'user');
    return {
      'order of messages': messages.map(label),
      'ids of the echoes': echoes.map(({ uuid }) =>
        uuid === first ? 'first' : uuid === second ? 'second' : 'another',
      ),
      thrown: errorOf(thrown, stage.sdk),
      'one session': new Set(messages.map(({ session_id }) => session_id)).size,
      memory: stage.lastRequest.turns.filter(({ role }) => role !== 'system').map((turn) => turn.text),
      'processes left': await stage.left(),
    };
  },
  {
    'order of messages': SAME,
    'ids of the echoes': ['first', 'second'],
    thrown: 'nothing',
    'one session': 1,
    memory: ['One.', 'First.', 'Two.'],
    'processes left': 0,
  },
);

compare(
  '[U-2] an unread query',
  async (stage) => {
    stage.say(text('Hello.'));
    const query = stage.sdk.query({ prompt: 'Greet me.', options: stage.options() });
    await stage.api.waitForRequest(({ isMainConversation }) => isMainConversation, { timeoutMs: 30_000 });
    const left = await stage.left();
    const { messages, thrown } = await readAll(query);
    return {
      'runs to its end': left,
      'can be read later': messages.map(label),
      thrown: errorOf(thrown, stage.sdk),
    };
  },
  {
    'runs to its end': 0,
    'can be read later': ['system init', 'assistant text', 'result success'],
    thrown: 'nothing',
  },
);

compare(
  '[U-2] a loop left by break',
  async (stage) => {
    stage.say([text('One.'), delay(20_000), text('Late.')]);
    const query = stage.sdk.query({ prompt: 'Count.', options: stage.options({ includePartialMessages: true }) });
    for await (const message of query) if (message.type === 'stream_event') break;
    return {
      next: await query.next(),
      'processes left': await stage.left(),
      'a control request': await outcomeOf(query.setModel('haiku'), stage.sdk),
    };
  },
  {
    next: { done: true },
    'processes left': 0,
    'a control request': { name: 'Error', message: 'Query closed before response received', abort: false },
  },
);

compare(
  '[U-2] close() during a turn',
  async (stage) => {
    stage.say([text('One.'), delay(20_000), text('Late.')]);
    const query = stage.sdk.query({ prompt: 'Count.', options: stage.options({ includePartialMessages: true }) });
    const { thrown, messages } = await readAll(query, (message) => message.type === 'stream_event' && query.close());
    return {
      thrown: errorOf(thrown, stage.sdk),
      result: messages.some(({ type }) => type === 'result'),
      'processes left': await stage.left(),
      interrupt: await outcomeOf(query.interrupt(), stage.sdk),
      'supportedModels() still answers': (await query.supportedModels()).length > 0,
    };
  },
  {
    thrown: 'nothing',
    result: false,
    'processes left': 0,
    interrupt: { name: 'Error', message: 'Query closed before response received', abort: false },
    'supportedModels() still answers': true,
  },
);
