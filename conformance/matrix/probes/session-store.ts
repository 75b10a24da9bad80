import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions, Session } from '../../../packages/sdk/src/index.ts';
import { type MemoryStore, memoryStore } from '../../../packages/sdk/src/store/index.ts';
import { delay, text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { AGENT_MARK, type Bench, type Line, MARK } from '../bench.ts';
import { expecting, type Probe, type Verdict } from '../probe.ts';

const PROJECT = 'default';
const LOOK = {
  subagent_type: 'general-purpose',
  description: 'look',
  prompt: `${MARK} ${AGENT_MARK} look around`,
};

/**
 * The guarantees of `--session-mirror`: at each result the store has every entry with a uuid that the final transcripts on disk
 * have up to that point, in their order, and a conversation can continue from the store alone.
 */
export const sessionStoreProbes: readonly Probe[] = [
  probe('store:turns', 'a turn is stored before its result (`sessionStore`)', async (watched) => {
    await watched.play([text('first answer')]);
    await watched.play([toolUse('Bash', { command: 'echo hi' }), text('second answer')]);
  }),
  probe('store:subagent', 'the entries of a subagent are stored before the result', async (watched) => {
    await watched.play(
      [toolUse('Task', { ...LOOK, run_in_background: false }), text('done')],
      [toolUse('Bash', { command: 'echo sub' }), text('I looked')],
    );
  }),
  probe(
    'store:background-agent',
    'the entries of a background subagent, and the turn that it starts, are stored before the result',
    (watched) =>
      watched.ownTurn(
        [toolUse('Task', { ...LOOK, run_in_background: true }), text('under way'), text('it came back')],
        [[delay(300), text('I looked')]],
      ),
  ),
  probe(
    'store:background-command',
    'the turn that a background command starts is stored before its result',
    (watched) =>
      watched.ownTurn([
        toolUse('Bash', { command: 'sleep 0.3', run_in_background: true }),
        text('under way'),
        text('it ended'),
      ]),
  ),
  probe('store:compaction', 'a compaction is stored before the result', async (watched) => {
    await watched.play([text('a long story')]);
    await watched.play([text('and more of it')]);
    await watched.play([text('<summary>a story</summary>')], [], '/compact');
    await watched.play([text('it goes on')]);
  }),
  probe('store:interrupt', 'a turn that was interrupted is stored before its result', async (watched) => {
    await watched.interrupted([toolUse('Bash', { command: 'while :; do sleep 0.05; done' })], 'sleep 0.05');
    await watched.play([text('it goes on')]);
  }),
  {
    id: 'store:resume',
    group: 'session store',
    title: 'a conversation continues from the store alone, in another directory',
    async prove(bench) {
      const store = memoryStore();
      const first = await bench.start({ sessionStore: store });
      await bench.play(first, [text('first answer')], `${MARK} first prompt`);
      const { id, pid } = first;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await first.closed;
      rmSync(join(bench.home.configDir, 'projects'), { recursive: true, force: true });
      const before = bench.asked.length;
      const second = await bench.start({ sessionStore: store, resume: id, cwd: bench.home.home });
      await bench.play(second, [text('second answer')], `${MARK} second prompt`);
      const asked = JSON.stringify(bench.asked[before]?.body.messages ?? '');
      const third = await bench.start({ sessionStore: store, resume: id, forkSession: true });
      await bench.play(third, [text('third answer')], `${MARK} third prompt`);
      const forked = JSON.stringify(bench.asked.at(-1)?.body.messages ?? '');
      return expecting({
        'the id stays': second.id === id,
        'the model has the history': asked.includes('first prompt') && asked.includes('first answer'),
        'a fork has another id': third.id !== id,
        'the fork has the history': forked.includes('first answer') && forked.includes('second answer'),
      });
    },
  },
];

/** A session whose store is examined at each result. */
class Watched {
  readonly store: MemoryStore = memoryStore();
  readonly results: { readonly at: ReadonlySet<string>; readonly ended: number }[] = [];
  readonly #bench: Bench;
  #session: Session | undefined;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  get session(): Session {
    if (!this.#session) throw new Error('The session is not open.');
    return this.#session;
  }

  async open(options: AgentOptions): Promise<void> {
    const session = await this.#bench.start({ ...options, sessionStore: this.store });
    this.#session = session;
    void (async () => {
      for await (const seen of session.messages()) {
        if (seen.kind === 'message' && seen.message.type === 'result') await this.#look();
      }
    })().catch(() => {});
  }

  async play(lines: readonly Line[], agent: readonly Line[] = [], prompt?: string): Promise<void> {
    this.#bench.scriptAnswers(lines, agent);
    const seen = this.results.length;
    await this.#bench.play(this.session, lines, prompt);
    await this.#until(seen + 1);
  }

  /** A turn after which the CLI starts another turn itself. */
  async ownTurn(lines: readonly Line[], agent: readonly Line[] = []): Promise<void> {
    this.#bench.scriptAnswers(lines, agent);
    await this.#bench.play(this.session, lines);
    await this.#until(2);
  }

  async interrupted(lines: readonly Line[], command: string): Promise<void> {
    this.#bench.scriptAnswers(lines);
    const turn = this.session.send(`${MARK} go`);
    turn.result().catch(() => {});
    await waitUntil(() => this.#bench.running(command), { timeoutMs: 15_000, what: command });
    await turn.interrupt();
    await this.#until(1);
  }

  async #until(results: number): Promise<void> {
    await waitUntil(() => this.results.length >= results, { timeoutMs: 15_000, what: `result ${results}` });
  }

  async #look(): Promise<void> {
    const ids = await this.ids();
    this.results.push({ at: new Set(ids), ended: Date.now() });
  }

  /** The uuids in the store, transcript by transcript. */
  async ids(): Promise<string[]> {
    const found: string[] = [];
    for (const { sessionId } of await this.store.listSessions(PROJECT)) {
      const key = { projectKey: PROJECT, sessionId };
      for (const subpath of [undefined, ...(await this.store.listSubkeys(key))]) {
        for (const { uuid } of (await this.store.load({ ...key, subpath })) ?? []) if (uuid) found.push(uuid);
      }
    }
    return found;
  }
}

function probe(id: string, title: string, act: (watched: Watched) => Promise<void>): Probe {
  return {
    id,
    group: 'session store',
    title,
    async prove(bench) {
      const watched = new Watched(bench);
      await watched.open({ allowedTools: ['Bash', 'Task', 'Agent'] });
      await act(watched);
      return verdictOf(bench, watched);
    },
  };
}

/** Compares the store at the last result with the final transcripts on disk. */
async function verdictOf(bench: Bench, watched: Watched): Promise<Verdict> {
  const last = watched.results.at(-1);
  await watched.session.close();
  const written = transcripts(bench.home.configDir);
  const stored = await watched.ids();
  const known = new Set(stored);
  const late = written.filter((uuid) => !last?.at.has(uuid));
  return expecting({
    'something was stored': stored.length > 0,
    'every entry on disk is stored': written.every((uuid) => known.has(uuid)),
    'nothing else is stored': stored.length === written.length,
    'none came after the last result': late.length === 0,
  });
}

function transcripts(configDir: string): string[] {
  const root = join(configDir, 'projects');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(root, name), 'utf8').split('\n'))
    .flatMap((line) => (line === '' ? [] : (JSON.parse(line).uuid ?? [])));
}
