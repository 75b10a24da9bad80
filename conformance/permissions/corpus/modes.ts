import { bash, type Call, type Case, edit, fetchPage, read, write } from '../case.ts';

const CALLS: readonly Call[] = [
  ...read('b.txt'),
  ...edit('b.txt'),
  ...read('nb.ipynb'),
  {
    tool: 'NotebookEdit',
    input: { notebook_path: 'nb.ipynb', new_source: 'x', cell_type: 'code', edit_mode: 'insert' },
  },
  ...read('a.txt', 'src/a.ts', '.env', '/etc/hostname', '../x', '/nosuch/x', '~/x'),
  ...write('new1.txt', 'src/new.ts', 'newdir/x.txt', '.git/config', '.claude/settings.json', '.bashrc', '.mcp.json'),
  ...write('.vscode/x', '.github/x.yml', 'sub/.hidden', '.npmrc'),
  ...fetchPage('https://docs.invalid/x'),
  { tool: 'WebSearch', input: { query: 'what is it' } },
  ...bash(
    'ls',
    'git status | cat',
    'frobnicate',
    'mkdir d',
    'mkdir -p e/f',
    'touch t',
    'touch t1 t2',
    'rm nosuch',
    'rm -rf d',
  ),
  ...bash(
    'rm -f nosuch',
    'rmdir nosuch',
    'mv t t3',
    'cp a.txt d.txt',
    'cp -r src src2',
    'sed -i s/a/b/ a.txt',
    'git add a.txt',
  ),
  ...bash(
    'ls && touch z',
    'mkdir r && frobnicate',
    'touch ../never',
    'touch .git/x',
    'mkdir',
    'chmod +x a.txt',
    'npm install',
  ),
  ...bash('echo x > y', 'cp /etc/hostname h', 'rm -rf .', 'frobnicate $(x)'),
];

const OUTSIDE: readonly Call[] = write('../never-there/x.txt');

/** The permission modes without rules. */
export const modes: readonly Case[] = [
  { name: 'mode default', options: { permissionMode: 'default' }, calls: [...CALLS, ...OUTSIDE] },
  { name: 'mode acceptEdits', options: { permissionMode: 'acceptEdits' }, calls: [...CALLS, ...OUTSIDE] },
  { name: 'mode dontAsk', options: { permissionMode: 'dontAsk' }, calls: [...CALLS, ...OUTSIDE] },
  {
    name: 'mode bypassPermissions',
    options: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    calls: CALLS.filter(({ input }) => input.command !== 'rm -rf .'),
  },
  {
    // The classifier of this mode asks the API about other calls.
    name: 'mode plan',
    options: { permissionMode: 'plan', allowedTools: ['Write', 'Bash(frobnicate *)'], disallowedTools: ['Bash(rm *)'] },
    calls: [
      ...read('a.txt', 'src/a.ts'),
      ...edit('src/a.ts'),
      ...bash('ls', 'git status | cat', 'frobnicate x', 'rm x'),
      ...write('n.txt', 'src/n.ts'),
    ],
  },
];

/** Modes together with rules, and both from settings. */
export const modesWithRules: readonly Case[] = [
  {
    name: 'mode bypassPermissions with rules',
    options: {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      settings: { permissions: { ask: ['Bash(git push *)'], deny: ['Bash(frobnicate *)', 'Read(.env)'] } },
    },
    calls: [...bash('git push x', 'frobnicate x', 'ls', 'npm test', 'echo x > .git/config'), ...read('.env', 'a.txt')],
  },
  {
    name: 'mode dontAsk with rules',
    options: {
      permissionMode: 'dontAsk',
      allowedTools: ['Bash(frobnicate *)', 'Write'],
      settings: { permissions: { ask: ['Bash(git *)'] } },
    },
    calls: [...bash('frobnicate x', 'ls', 'git status', 'git push', 'npm test'), ...write('x.txt'), ...read('a.txt')],
  },
  {
    name: 'rules and mode in settings',
    options: {
      settings: {
        permissions: {
          allow: ['Bash(frobnicate *)'],
          deny: ['Bash(rm *)'],
          ask: ['Bash(frobnicate push)'],
          defaultMode: 'acceptEdits',
        },
      },
    },
    calls: [
      ...bash('frobnicate x', 'rm x', 'frobnicate push', 'npm test', 'touch t'),
      ...write('x.txt'),
      ...read('b.txt'),
      ...edit('b.txt'),
    ],
  },
];
