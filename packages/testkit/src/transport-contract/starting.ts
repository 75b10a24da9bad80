import { realpathSync } from 'node:fs';
import { isCoxswainError } from 'coxswain';
import type { Rule } from './rule.ts';
import { agent, must, type Stage } from './stage.ts';

/** Characters that cause problems in shells, quoting and encodings. */
const AWKWARD: readonly string[] = [
  '',
  ' ',
  'a b',
  '$HOME',
  '`id`',
  "it's",
  '"quoted"',
  '\\',
  'a\nb',
  '*',
  '-x',
  '--',
  'é☃',
  '%PATH%',
];

const VARIABLES: Readonly<Record<string, string>> = {
  CONTRACT_PLAIN: 'plain',
  CONTRACT_AWKWARD: AWKWARD.join('|'),
  CONTRACT_EQUALS: 'a=b=c',
};

const FILE = { name: 'secret.json', content: '{"secret":"of the contract é☃\\n"}\n' };

/** Rules about the start of a transport. */
export const startingRules: readonly Rule[] = [
  {
    name: 'start: the arguments reach the agent unchanged',
    needs: 'see-start',
    agent: { ...agent({ tell: 'arguments' }), args: AWKWARD },
    async check(stage) {
      await stage.start();
      same('The arguments are', await told(stage), AWKWARD);
    },
  },
  {
    name: 'start: the variables reach the agent unchanged',
    needs: 'see-start',
    agent: { ...agent({ tell: 'environment' }), env: VARIABLES },
    async check(stage) {
      await stage.start();
      const env = Object.entries(Object(await told(stage)));
      same('The variables are', Object.fromEntries(env.filter(([name]) => name in VARIABLES)), VARIABLES);
    },
  },
  {
    name: 'start: the agent runs in the working directory of the request',
    needs: 'see-start',
    agent: agent({ tell: 'folder' }),
    async check(stage) {
      await stage.start();
      const folder = await told(stage);
      const { cwd } = stage.request;
      must(
        !cwd || folder === cwd || folder === realpath(cwd),
        `The agent runs in ${String(folder)}, and the request names ${cwd}`,
      );
    },
  },
  {
    name: 'start: private files reach the agent by their paths, and their content is not on the command line',
    needs: 'see-start',
    agent: { ...agent({ tell: 'files' }), files: [FILE, { name: 'other.txt', content: 'other' }] },
    async check(stage) {
      await stage.start();
      const files = await told(stage);
      must(Array.isArray(files), 'The agent was not given the files');
      same(
        'The files hold',
        files.map(({ content }) => content),
        [FILE.content, 'other'],
      );
      must(!files.some(({ path }) => String(path).includes('contract')), 'The content of a file is in its path');
    },
  },
  {
    name: 'start: a start that fails is a typed error, and stdout, stderr and exited end',
    agent: 'failing',
    async check(stage) {
      typed('start()', await stage.rejection('start()', () => stage.start()));
      const report = await stage.exited();
      must(report.exitCode === null, `exited says code ${report.exitCode} of an agent that never ran`);
      const step = await stage.next();
      must(step.done === true, 'output yielded something although nothing was started');
      await stage.readErrors();
      typed('write()', await stage.rejection('write() after a failed start', () => stage.transport.write('x\n')));
    },
  },
  {
    name: 'start: a second start is a typed error and does not affect the agent',
    agent: agent({ print: 'contract: ready\n' }, { expectEnd: true }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: ready');
      typed('A second start()', await stage.rejection('a second start()', () => stage.start()));
      await stage.within('endInput()', stage.transport.endInput());
      const { exitCode, ended } = await stage.exited();
      must(exitCode === 0 && ended === 'by-itself', `The agent ended with ${exitCode}, ${ended}, after a second start`);
    },
  },
  {
    name: 'start: pid is a number or undefined',
    agent: agent({ print: 'contract: ready\n' }, { hang: true }),
    async check(stage) {
      await stage.start();
      const { pid } = stage.transport;
      must(pid === undefined || (Number.isInteger(pid) && pid > 0), `pid is ${String(pid)}`);
    },
  },
];

/** @throws ContractViolation unless the error has a code */
export function typed(what: string, error: unknown): void {
  must(
    isCoxswainError(error),
    `${what} rejected with ${String(error)}, which is not an error of coxswain (TransportError, SpawnError)`,
  );
}

async function told(stage: Stage): Promise<unknown> {
  const said = (await stage.readAll()).toString('utf8');
  must(said.startsWith('contract: '), 'The agent printed nothing');
  return JSON.parse(said.slice('contract: '.length));
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [sorted(actual), sorted(expected)];
  must(is === should, `${what} ${is} and should be ${should}`);
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.fromEntries(Object.entries(Object(value)).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The real path; the folder may be on another machine. */
function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
