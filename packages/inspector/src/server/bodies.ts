import { isObject } from '@coxswain/shared/is-object';
import type { Action, ApprovalAnswer, QueueAction } from '../api.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { fieldsOf, textIn } from '../transcript/fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Largest body of a POST. */
const BODY_BYTES = 1024 * 1024;

/** The body of a request as an object. @throws Refusal */
export async function bodyOf(request: Request): Promise<Fields> {
  try {
    const body: unknown = JSON.parse(await textOf(request));
    if (isObject(body)) return body;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Reported below.
  }
  throw new Refusal('bad-request', 'The body must be a JSON object.');
}

/** Reads at most the allowed number of bytes, regardless of the announced length. @throws Refusal */
async function textOf(request: Request): Promise<string> {
  const tooLarge = new Refusal('too-large', 'A request body can have at most 1 MB.');
  if (Number(request.headers.get('content-length') ?? 0) > BODY_BYTES) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws Refusal */
export function actionIn(body: Fields): Action {
  const { action } = body;
  switch (action) {
    case 'send':
    case 'steer':
      return { action, text: required(body, 'text') };
    case 'interrupt':
    case 'close':
      return { action };
    case 'cancel': {
      const turn = optional(body, 'turn');
      return { action, ...(turn !== undefined && { turn }) };
    }
    case 'resume': {
      const text = optional(body, 'text');
      return { action, ...(text !== undefined && { text }) };
    }
    case 'fork': {
      const { before } = body;
      if (before === undefined || before === null) {
        const text = optional(body, 'text');
        return { action, ...(text !== undefined && { text }) };
      }
      if (typeof before !== 'number' || !Number.isSafeInteger(before))
        throw badRequest('before must be a whole number');
      return { action, before, text: required(body, 'text') };
    }
    case 'rename':
      return { action, title: required(body, 'title') };
    default:
      throw new Refusal('bad-request', 'There is no such action.');
  }
}

/** @throws Refusal */
export function queueActionIn(body: Fields): QueueAction {
  const { action } = body;
  if (action !== 'cancel' && action !== 'resend') throw badRequest('action must be cancel or resend');
  return { action, turn: required(body, 'turn') };
}

/** @throws Refusal */
export function answerIn(body: Fields): ApprovalAnswer {
  switch (body.decision) {
    case 'allow': {
      const { scope = 'once' } = body;
      if (scope !== 'once' && scope !== 'session' && scope !== 'always' && scope !== 'mode')
        throw badRequest('scope must be once, session, always or mode');
      const input = optional(body, 'input');
      onlyFields(body, 'decision', 'scope', 'input');
      return { decision: 'allow', scope, ...(input !== undefined && { input }) };
    }
    case 'deny':
      onlyFields(body, 'decision', 'reason', 'interrupt');
      return {
        decision: 'deny',
        reason: optional(body, 'reason') || 'The user denied it.',
        interrupt: body.interrupt === true,
      };
    case 'answer':
      onlyFields(body, 'decision', 'answers');
      return { decision: 'answer', answers: answersIn(body.answers) };
    default:
      throw badRequest('decision must be allow, deny or answer');
  }
}

function answersIn(value: unknown): Readonly<Record<string, string | readonly string[]>> {
  const entries = Object.entries(fieldsOf(value)).map(([question, answer]) => {
    if (typeof answer === 'string') return [question, answer];
    if (Array.isArray(answer) && answer.every((choice) => typeof choice === 'string')) return [question, answer];
    throw badRequest('each answer must be a string or a list of strings');
  });
  if (entries.length === 0) throw badRequest('answers must have an answer for each question');
  return Object.fromEntries(entries);
}

/** Refuses unknown fields: a misspelt one would otherwise be ignored. @throws Refusal */
function onlyFields(body: Fields, ...known: readonly string[]): void {
  const stray = Object.keys(body).find((name) => !known.includes(name));
  if (stray !== undefined) throw badRequest(`an answer has no field ${JSON.stringify(stray.slice(0, 80))}`);
}

function required(body: Fields, name: string): string {
  const text = textIn(body, name);
  if (text === null || text.trim() === '') throw badRequest(`${name} must be a string`);
  return text;
}

function optional(body: Fields, name: string): string | undefined {
  const value = body[name];
  if (value !== undefined && value !== null && typeof value !== 'string') throw badRequest(`${name} must be a string`);
  return value ?? undefined;
}
