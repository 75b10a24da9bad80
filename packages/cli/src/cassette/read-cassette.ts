/** What a recorded run needs for playback. */
export interface RecordedConversation {
  readonly mode: 'query' | 'session';
  readonly prompts: readonly string[];
  /** Whether the CLI asked for permissions. */
  readonly asks: boolean;
}

/** The conversations of a cassette, with the prompts of the host. Other lines are skipped. */
export function readCassette(text: string): RecordedConversation[] {
  const runs: { mode: 'query' | 'session'; prompts: string[]; asks: boolean }[] = [];
  for (const line of text.split('\n')) {
    const entry = objectIn(line);
    if ('coxswainCassette' in entry) {
      runs.push({ mode: entry.mode === 'query' ? 'query' : 'session', prompts: [], asks: false });
      continue;
    }
    const run = runs.at(-1);
    if (run === undefined) continue;
    const frame = fields(entry.frame);
    if (entry.dir === 'in' && frame.type === 'user') run.prompts.push(wordsOf(fields(frame.message).content));
    if (entry.dir === 'in' && run.mode === 'query' && typeof entry.text === 'string') run.prompts.push(entry.text);
    if (entry.dir === 'out' && frame.type === 'control_request') {
      run.asks ||= fields(frame.request).subtype === 'can_use_tool';
    }
  }
  return runs;
}

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
