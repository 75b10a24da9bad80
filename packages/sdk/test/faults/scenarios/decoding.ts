import { faults } from '@coxswain/testkit';
import { both, type Scenario, SPILL } from '../scenario.ts';

const line = (text: string): Scenario['agent'] => {
  return (agent) => agent.onPrompt('go', (turn) => turn.line(text).say('ok'));
};
const lines = (text: string, times: number): Scenario['agent'] => {
  return (agent) =>
    agent.onPrompt('go', (turn) => {
      for (let n = 0; n < times; n += 1) turn.line(text);
      return turn.say('ok');
    });
};

/** One unreadable line among correct output. */
const oneBadLine = (error: string): Pick<Scenario, 'query' | 'session'> => ({
  query: { outcome: 'completed', text: 'ok', errors: [error] },
  session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line'] },
});

/** Bytes and JSON that are not a message, or a malicious one. */
export const decoding: readonly Scenario[] = [
  {
    id: 'garbage-line',
    proves: ['W-4', 'W-9', 'C-10'],
    what: 'a line is not JSON and contains secrets',
    agent: line(`Warning: connecting with ${SPILL}`),
    ...oneBadLine('json-decode'),
  },
  {
    id: 'garbage-four-times',
    proves: ['W-4'],
    what: 'four consecutive lines are not JSON',
    agent: lines('noise', 4),
    query: { outcome: 'completed', errors: ['json-decode', 4] },
    session: { outcome: 'completed', warnings: ['undecodable-line', 4] },
  },
  {
    id: 'garbage-five-times',
    proves: ['W-4', 'C-10'],
    what: 'five consecutive lines are not JSON and contain secrets',
    agent: lines(`noise ${SPILL}`, 5),
    query: { outcome: 'too-many-decode-errors', errors: ['json-decode', 4] },
    session: { outcome: 'completed', warnings: ['undecodable-line', 5] },
  },
  {
    id: 'garbage-five-times-two-way',
    proves: ['W-4', 'O-7', 'C-10'],
    what: 'five consecutive lines in a query with a hook are not JSON and contain secrets',
    agent: lines(`noise ${SPILL}`, 5),
    options: { hooks: { Stop: () => undefined } },
    query: { outcome: 'too-many-decode-errors', errors: ['json-decode', 4] },
  },
  {
    id: 'garbage-after-the-result',
    proves: ['W-4'],
    what: 'six lines after the result are not JSON',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => {
        turn.say('ok').result();
        for (let n = 0; n < 6; n += 1) turn.line('noise');
        return turn;
      }),
    query: { outcome: 'completed', warnings: ['bad-line-after-result', 6] },
    session: { outcome: 'completed', warnings: ['undecodable-line', 6] },
  },
  {
    id: 'nul-bytes',
    proves: ['W-4'],
    what: 'a line consists of NUL bytes',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.nul(64)).say('ok')),
    ...oneBadLine('json-decode'),
  },
  {
    id: 'not-utf-8',
    proves: ['W-4'],
    what: 'a line is not UTF-8',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.invalidUtf8()).say('ok')),
    ...oneBadLine('utf8-decode'),
  },
  {
    id: 'utf-16',
    proves: ['W-4'],
    what: 'a line is UTF-16',
    agent: (agent) =>
      agent.onPrompt('go', (turn) => turn.bytes(Buffer.from('{"type":"é"}\n', 'utf16le')).line('').say('ok')),
    query: { outcome: 'completed', text: 'ok', errors: ['utf8-decode', 'json-decode'] },
    session: { outcome: 'completed', text: 'ok', warnings: ['undecodable-line', 2] },
  },
  {
    id: 'lone-surrogates',
    proves: ['W-6', 'E-4'],
    what: 'a text contains half a surrogate pair',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.loneSurrogates()).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'nested-5000-deep',
    proves: ['W-8'],
    what: 'a message is nested 5,000 levels deep',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.deepNesting(5_000)).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'proto-keys',
    proves: ['W-8'],
    what: 'a message has the keys __proto__, constructor and toString',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.protoKeys()).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'proto-as-type',
    proves: ['W-6', 'W-8'],
    what: 'messages have the types __proto__, constructor and hasOwnProperty',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn.line('{"type":"__proto__"}').line('{"type":"constructor"}').line('{"type":"hasOwnProperty"}').say('ok'),
      ),
    ...both({ outcome: 'completed', text: 'ok', warnings: ['unknown-message-type', 3] }),
  },
  {
    id: 'huge-numbers',
    proves: ['W-6', 'W-7'],
    what: 'a message has numbers beyond the range of a double',
    agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.hugeNumbers()).say('ok')),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  ...(['list', 'number', 'null', 'untyped'] as const).map((kind): Scenario => {
    return {
      id: `no-message-${kind}`,
      proves: ['W-5'],
      what: `a line of JSON is not a message: ${kind}`,
      agent: (agent) => agent.onPrompt('go', (turn) => turn.fault(faults.noMessage(kind)).say('ok')),
      ...oneBadLine('unexpected-message'),
    };
  }),
  {
    id: 'unknown-type',
    proves: ['W-6'],
    what: 'a message of an unknown type arrives three times',
    agent: lines('{"type":"from_the_future","n":1}', 3),
    ...both({ outcome: 'completed', text: 'ok', warnings: ['unknown-message-type'] }),
  },
  {
    id: 'unknown-fields',
    proves: ['W-6'],
    what: 'every message has unknown fields',
    agent: (agent) => agent.fault(faults.unknownFields()),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'fields-of-wrong-types',
    proves: ['W-6', 'E-4', 'M-4'],
    what: 'known messages have lists, numbers and nulls instead of texts and objects',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .line('{"type":"assistant"}')
          .line('{"type":"assistant","message":null}')
          .line('{"type":"assistant","message":{"content":{"0":1}}}')
          .line('{"type":"assistant","message":{"content":[null,7,"x",{"type":{}},{"type":"text"}]}}')
          .line('{"type":"user","message":7,"uuid":[],"isReplay":"yes"}')
          .line('{"type":"stream_event","event":null}')
          .line('{"type":"rate_limit_event","rate_limit_info":"soon"}')
          .line('{"type":"command_lifecycle","state":7,"command_uuid":{}}')
          .say('ok'),
      ),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'system-fields-of-wrong-types',
    proves: ['W-6', 'E-4'],
    what: 'system messages have lists, numbers and nulls instead of texts and objects',
    agent: (agent) =>
      agent.onPrompt('go', (turn) =>
        turn
          .line('{"type":"system","subtype":"init","tools":7,"mcp_servers":"x","session_id":[],"permissionMode":{}}')
          .line('{"type":"system","subtype":{"toString":1}}')
          .line('{"type":"system","subtype":"task_started","task_id":7}')
          .line('{"type":"system","subtype":"task_notification","task_id":null,"status":[]}')
          .line('{"type":"system","subtype":"background_tasks_changed","tasks":{"length":3}}')
          .line('{"type":"system","subtype":"session_state_changed","state":null}')
          .line('{"type":"system","subtype":"control_request_progress","request_id":{}}')
          .say('ok'),
      ),
    ...both({ outcome: 'completed', text: 'ok' }),
  },
  {
    id: 'duplicate-keys',
    proves: ['W-5', 'W-7'],
    what: 'a message has two types: the last one counts',
    agent: line('{"type":"assistant","type":7}'),
    ...oneBadLine('unexpected-message'),
  },
];
