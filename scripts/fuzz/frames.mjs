import { Buffer } from 'node:buffer';

/**
 * The expected result of a line.
 * @typedef {{ bytes: Buffer, kind: 'message' | 'utf8-decode' | 'json-decode' | 'unexpected-message' | 'oversize' | 'blank',
 *   type?: string, routed?: string }} Line
 */

const TYPES = [
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'command_lifecycle',
  'tool_progress',
  'novelty',
];
const SUBTYPES = ['init', 'status', 'task_started', 'task_notification', 'background_tasks_changed', 'api_retry'];
const MORE = ['session_state_changed', 'control_request_progress', 'success', 'error_during_execution', '__proto__'];
const KEYS = ['uuid', 'session_id', 'user_message_uuids', 'user_message_uuid', 'origin', 'isReplay', 'command_uuid'];
const MORE_KEYS = ['state', 'task_id', 'tasks', 'is_error', 'message', 'tool_use_id', 'output_file', 'status', 'kind'];
const TEXTS = ['ours', 'another', 'a', 'b', 'idle', 'started', 'completed', 'Grüße 🚣', '\u2028', '\\', '"', '\n', ''];
const BLANKS = ['', '\r', ' ', '\t\r', '   '];
const NO_JSON = ['Warning: noise', '{"type":', '{"type":"a"}}', 'NaN', "{'type':'a'}", '\u0000', '\uFEFF{"type":"a"}'];

/**
 * Creates lines of every kind, each with its expected result.
 * @param {import('./random.mjs').Random} random
 * @param {number} maxLineBytes
 * @returns {() => Line}
 */
export function lineMaker(random, maxLineBytes) {
  const { pick, chance, below } = random;

  /** @param {number} depth @returns {unknown} */
  const value = (depth) => {
    const kind = below(depth > 0 ? 9 : 6);
    if (kind < 3) return pick(TEXTS);
    if (kind === 3) return below(1_000) - 500;
    if (kind === 4) return chance(0.5);
    if (kind === 5) return null;
    if (kind < 8) return record(depth - 1);
    return Array.from({ length: below(4) }, () => value(depth - 1));
  };

  /** @param {number} depth */
  const record = (depth) => {
    /** @type {Record<string, unknown>} */
    const made = {};
    for (let n = below(5); n > 0; n -= 1) made[pick(chance(0.5) ? KEYS : MORE_KEYS)] = value(depth);
    return made;
  };

  const message = () => {
    const type = chance(0.95) ? pick(TYPES) : pick(TEXTS);
    const subtype = chance(0.9) ? pick(chance(0.7) ? SUBTYPES : MORE) : value(1);
    return frame({ type, subtype, ...record(2) }, type, 'message');
  };

  const control = () => {
    const id = chance(0.8) ? pick(['req_1', 'req_2', 'x']) : value(1);
    const body = chance(0.8) ? { subtype: chance(0.9) ? pick(['hook_callback', 'can_use_tool']) : value(1) } : value(1);
    const type = pick(['control_request', 'control_response', 'control_cancel_request', 'keep_alive']);
    const whole =
      type === 'control_response' ? { type, request_id: id, response: body } : { type, request_id: id, request: body };
    return frame(whole, type, routedAs(type, id, body));
  };

  /** @param {object} object @param {string} type @param {string} routed @returns {Line} */
  const frame = (object, type, routed) => {
    const text = JSON.stringify(object);
    const spaced = chance(0.1) ? ` ${text.replace(':', ' : ')}\t` : text;
    return checked({ bytes: ended(Buffer.from(spaced)), kind: 'message', type, routed });
  };

  /** @returns {Line} */
  const noMessage = () => {
    const text = JSON.stringify(
      pick([[1, 2], 7, null, true, 'text', {}, { type: 7 }, { type: null }, [{ type: 'a' }]]),
    );
    return { bytes: ended(Buffer.from(text)), kind: 'unexpected-message' };
  };

  /** @returns {Line} */
  const noUtf8 = () => {
    const bytes = Buffer.from(JSON.stringify({ type: 'assistant', text: 'xxxxxxxx' }));
    bytes[bytes.length - 5] = 0xff;
    if (chance(0.5)) bytes[bytes.length - 6] = 0xc3;
    return { bytes: ended(bytes), kind: 'utf8-decode' };
  };

  /** @returns {Line} */
  const tooLong = () => {
    const text = JSON.stringify({ type: 'assistant', x: 'y'.repeat(maxLineBytes + below(20_000)) });
    return { bytes: ended(Buffer.from(text)), kind: 'oversize' };
  };

  /** @param {Buffer} text */
  const ended = (text) => Buffer.concat([text, chance(0.1) ? CRLF : LF]);

  /** A frame may exceed the limit by chance. @param {Line} line @returns {Line} */
  const checked = (line) => (line.bytes.length - 1 > maxLineBytes ? { bytes: line.bytes, kind: 'oversize' } : line);

  return () => {
    const kind = random.next();
    if (kind < 0.7) return message();
    if (kind < 0.9) return control();
    if (kind < 0.93) return { bytes: ended(Buffer.from(pick(NO_JSON))), kind: 'json-decode' };
    if (kind < 0.96) return noMessage();
    if (kind < 0.98) return { bytes: ended(Buffer.from(pick(BLANKS))), kind: 'blank' };
    return kind < 0.998 ? noUtf8() : tooLong();
  };
}

const LF = Buffer.from('\n');
const CRLF = Buffer.from('\r\n');

/** The expected result of the router, in the terms of the contract. @param {string} type @param {unknown} id @param {unknown} body */
function routedAs(type, id, body) {
  if (type === 'keep_alive') return 'ignore';
  if (type === 'control_response') return 'response';
  if (type === 'control_cancel_request') return 'cancel';
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const whole = typeof id === 'string' && isObject && 'subtype' in body && typeof body.subtype === 'string';
  return whole ? 'request' : 'bad-request';
}
