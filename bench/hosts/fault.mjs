// node bench/hosts/fault.mjs coxswain|official|drop-in <scenario> query|session <mark>: one scenario of the fault battery. Sends
// { begun }, { ended } and { after }, and exits when nothing keeps it alive. It catches nothing that the library does not catch.
import { BUNDLE } from '../faults/bundle.mjs';
import { MARK, markedProcesses } from '../faults/processes.mjs';

const [contender, id, entry, mark] = process.argv.slice(2);
const { cliOf, scenarios, SECRETS } = await import(BUNDLE.href);
const { classOf, runQuery, runSession } = await import(`../faults/${contender}.mjs`);
const scenario = scenarios.find((candidate) => candidate.id === id);
const cli = await cliOf(scenario, 'process');
const world = { notes: [] };
const job = {
  prompt: scenario.prompt ?? 'go',
  during: scenario.during,
  world,
  options: () => {
    const view = { notes: world.notes, session: () => world.session() };
    const own = typeof scenario.options === 'function' ? scenario.options(view) : scenario.options;
    return {
      ...cli.options,
      versionCheck: 'off',
      apiKey: SECRETS.apiKey,
      ...own,
      env: { DB_PASSWORD: SECRETS.password, ...cli.options.env, ...own?.env, [MARK]: mark },
    };
  },
};

say({ begun: { memory: process.memoryUsage.rss() } });
const start = performance.now();
const { error, result, ...seen } = await (entry === 'query' ? runQuery(job) : runSession(job));
const ms = performance.now() - start;
say({
  ended: {
    ...seen,
    ms,
    error: error && described(error),
    result: result && { text: result.result, isError: result.is_error },
    notes: world.notes.map(inWords),
  },
});
// A process that was just ended may still be exiting.
const deadline = performance.now() + 8_000;
while (markedProcesses(mark).length > 0 && performance.now() < deadline) await new Promise((go) => setTimeout(go, 20));
const runs = (await cli.runs?.()) ?? [];
say({
  after: {
    left: markedProcesses(mark).length,
    tools: runs.flatMap(({ tools }) => tools.map(({ outcome }) => outcome)),
    arrived: arrived(runs),
  },
});
await cli[Symbol.asyncDispose]();

function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

/** What a scenario recorded: a state, the code of an error, or its message. */
function inWords(note) {
  if (note === undefined) return 'an error without a code';
  if (note.includes(SECRETS.apiKey)) return 'an error with the secrets in it';
  return note.includes('[redacted]') ? 'an error without the secrets' : note;
}

function described(error) {
  const text = `${error?.stack ?? error}\n${JSON.stringify(error) ?? ''}`;
  return {
    class: classOf(error),
    code: error?.code,
    line: String(error?.message ?? error)
      .split('\n')[0]
      .slice(0, 160),
    spills: ['apiKey', 'password'].filter((name) => text.includes(SECRETS[name])),
  };
}

/** Whether an unusual value reached the CLI unchanged; only some scenarios check it. */
function arrived(runs) {
  const check = scenario[entry].got;
  if (scenario.group !== 'option values' || typeof check !== 'function' || runs.length === 0) return undefined;
  try {
    check(runs[0]);
    return true;
  } catch {
    return false;
  }
}
