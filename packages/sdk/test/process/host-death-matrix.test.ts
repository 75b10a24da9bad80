import { faults, type ScriptedCli, script, scriptedCli } from '@coxswain/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHost } from '../support/hosts.ts';
import { isAlive, liveDescendants, waitUntil } from '../support/processes.ts';

const STATES = ['starting', 'idle', 'turn streaming', 'tool running', 'hook pending', 'stopping'];
const CELLS = ['session', 'query'].flatMap((kind) => STATES.map((state) => `${kind}, ${state}`));

/** Lifetime of a tool, which runs in a separate session like the CLI's Bash. */
const TOOL_MS = 600_000;

/** Time limit of the guard. It gives the CLIs a second to exit; on a busy machine, twelve trees take longer. */
const GUARDED_MS = 4_000;

const ATTEMPTS = 3;

interface Death {
  readonly how: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly withinMs: number;
}

const DEATHS: readonly Death[] = [
  { how: 'process.exit', code: 3, signal: null, withinMs: 2_000 },
  { how: 'uncaught exception', code: 1, signal: null, withinMs: 2_000 },
  { how: 'SIGINT', code: null, signal: 'SIGINT', withinMs: 2_000 },
  { how: 'SIGTERM', code: null, signal: 'SIGTERM', withinMs: 2_000 },
  { how: 'SIGKILL', code: null, signal: 'SIGKILL', withinMs: GUARDED_MS },
];

let cli: ScriptedCli;
let mute: ScriptedCli;

beforeAll(async () => {
  const states = script()
    .onPrompt('idle', (turn) => turn.say('Done.').result().silence())
    .onPrompt('turn streaming', (turn) => turn.say('Begun.').say('one two three '.repeat(20_000), { everyMs: 20 }))
    .onPrompt('tool running', (turn) => turn.say('Sleep.').fault(faults.holdPipe(TOOL_MS)).silence())
    .onPrompt('hook pending', (turn) => turn.say('Asking.').useTool('Bash', { command: 'ls' }).silence())
    .onPrompt('stopping', (turn) =>
      turn.ignore('SIGINT', 'SIGTERM', 'EOF', 'end_session', 'interrupt').say('Never.').silence(),
    );
  cli = await scriptedCli(states);
  mute = await scriptedCli(script().atStart((turn) => turn.silence()));
});

afterAll(async () => {
  await cli[Symbol.asyncDispose]();
  await mute[Symbol.asyncDispose]();
});

for (const { how, code, signal, withinMs } of DEATHS) {
  describe(`[R-3] a host that dies by ${how}`, () => {
    /** The processes in each state before the host's death, and the time until the last one exited. */
    const trees = new Map<string, readonly number[]>();
    const goneAfter = new Map<string, number>();

    // Repeat everything if a busy machine was late for one of the cells.
    it('ends as it would without the SDK', { timeout: 120_000 }, async () => {
      for (let left = ATTEMPTS; left > 0 && (goneAfter.size === 0 || goneAfter.size < trees.size); left -= 1)
        await die();
    });

    const die = async (): Promise<void> => {
      goneAfter.clear();
      const host = startHost('dies-in-every-state.mjs', cli.path, mute.path);
      const pids: Record<string, number> = JSON.parse(await host.line());
      await waitUntil(
        'the tools run',
        () => ['session', 'query'].every((kind) => liveDescendants(pids[`${kind}, tool running`] ?? 0).length > 0),
        20_000,
      );
      for (const [cell, pid] of Object.entries(pids)) trees.set(cell, [pid, ...liveDescendants(pid)].filter(isAlive));
      if (signal === null) host.process.stdin?.write(how === 'process.exit' ? 'exit\n' : 'throw\n');
      else process.kill(host.pid, signal);
      const ended = await host.exited;
      await noteGone(trees, goneAfter, withinMs);
      expect(ended).toEqual({ code, signal });
    };

    it.for(CELLS)('leaves no process: %s', (cell, { task }) => {
      Object.assign(task.meta, { goneAfterMs: goneAfter.get(cell) });
      const tree = trees.get(cell) ?? [];
      expect(tree.length).toBeGreaterThanOrEqual(cell.endsWith('tool running') ? 2 : 1);
      expect(tree.filter(isAlive)).toEqual([]);
      expect(goneAfter.get(cell)).toBeLessThan(withinMs);
    });
  });
}

/** Records for each tree when its last process exits; gives up after `withinMs`. */
async function noteGone(
  trees: ReadonlyMap<string, readonly number[]>,
  goneAfter: Map<string, number>,
  withinMs: number,
): Promise<void> {
  const from = performance.now();
  const look = (): boolean => {
    for (const [cell, tree] of trees) {
      if (!goneAfter.has(cell) && !tree.some(isAlive)) goneAfter.set(cell, performance.now() - from);
    }
    return goneAfter.size === trees.size;
  };
  await waitUntil('nothing is left', look, withinMs).catch(() => {});
}
