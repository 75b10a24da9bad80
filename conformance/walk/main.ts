import { parseArgs } from 'node:util';
import { generateWalk } from './generate.ts';
import { runWalk } from './run-walk.ts';
import type { Walk, WalkKind } from './steps.ts';

/** The command; gives its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: 'string', default: '10' },
      from: { type: 'string', default: '1' },
      steps: { type: 'string', default: '40' },
      cli: { type: 'string', default: '2.1.325' },
      kind: { type: 'string', default: 'session' },
      trace: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '3' },
    },
  });
  const walks: Walk[] = [];
  for (let n = 0; n < Number(values.seeds); n++)
    for (const release of values.cli.split(','))
      for (const kind of values.kind.split(','))
        walks.push(
          generateWalk({
            seed: Number(values.from) + n,
            release,
            kind: kind as WalkKind,
            length: Number(values.steps),
          }),
        );
  let failed = 0;
  const worker = async () => {
    for (let walk = walks.shift(); walk; walk = walks.shift()) {
      const at = performance.now();
      const { violations, prompts, answered, trace } = await runWalk(walk);
      console.log(
        `${walk.release} ${walk.kind} seed ${walk.seed}: ${prompts} prompts, ${answered} answered, ${violations.length} violations, ${Math.round(performance.now() - at)} ms`,
      );
      for (const { rule, detail } of violations.slice(0, 6)) console.log(`    ${rule}: ${detail}`);
      if (violations.length) {
        failed++;
        if (values.trace) console.log(trace.join('\n'));
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  return failed ? 1 : 0;
}
