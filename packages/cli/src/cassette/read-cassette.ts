/** The data of a recorded run that playback needs. */
export interface RecordedConversation {
  readonly mode: 'query' | 'session';
  readonly prompts: readonly string[];
  /** Other requests of the host to the CLI; `after` is the number of prompts before the request. */
  readonly requests: readonly RecordedRequest[];
  /** Whether the CLI asked for permissions. */
  readonly asks: boolean;
}

/** A control request of the recorded host, such as `set_model`. */
export interface RecordedRequest {
  readonly after: number;
  readonly subtype: string;
  readonly payload: object;
}

/** The conversations of a cassette, with the prompts of the host. Other lines are skipped. */
export function readCassette(text: string): RecordedConversation[] {
  const runs: { mode: 'query' | 'session'; prompts: string[]; requests: RecordedRequest[]; asks: boolean }[] = [];
  for (const line of text.split('\n')) {
    const entry = objectIn(line);
    if ('coxswainCassette' in entry) {
      runs.push({ mode: entry.mode === 'query' ? 'query' : 'session', prompts: [], requests: [], asks: false });
      continue;
    }
    const run = runs.at(-1);
    if (run === undefined) continue;
    const frame = fields(entry.frame);
    if (entry.dir === 'in' && frame.type === 'user') run.prompts.push(wordsOf(fields(frame.message).content));
    if (entry.dir === 'in' && run.mode === 'query' && typeof entry.text === 'string') run.prompts.push(entry.text);
    if (entry.dir === 'in' && frame.type === 'control_request') {
      const { subtype, ...payload } = fields(frame.request);
      if (typeof subtype === 'string' && !OF_EVERY_SESSION.has(subtype)) {
        run.requests.push({ after: run.prompts.length, subtype, payload });
      }
    }
    if (entry.dir === 'out' && frame.type === 'control_request') {
      run.asks ||= fields(frame.request).subtype === 'can_use_tool';
    }
  }
  return runs;
}

/** Whether a line of the host is a prompt. */
export function isPrompt(line: string): boolean {
  return objectIn(line).type === 'user';
}

/** Requests that every session sends by itself. */
const OF_EVERY_SESSION: ReadonlySet<string> = new Set(['initialize', 'end_session']);

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    return fields(JSON.parse(line));
  } catch {
    return {};
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block) => String(fields(block).text ?? '')).join('') : '';
}
