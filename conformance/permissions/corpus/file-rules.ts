import { bash, type Call, type Case, edit, glob, grep, read, write } from '../case.ts';

const FILE_CALLS: readonly Call[] = [
  ...read('secret.txt', 'a.txt', './a.txt', 'src/../a.txt', 'sub/secret.txt', 'secrets/key.pem', 'secrets/x/y', '.env'),
  ...read('sub/.env', '/etc/hostname', 'src/a.ts', 'src/deep/b.ts'),
  ...edit('src/a.ts', 'src/deep/b.ts'),
  ...bash(
    'cat secret.txt',
    'cat .env',
    'head secrets/key.pem',
    'cat src/a.ts',
    'cat a.txt',
    'ls',
    'ls src',
    'grep -r one .',
  ),
  ...bash('ls -la', 'git log --oneline', 'git diff', 'git status | cat', 'find . -type f', 'npm test'),
  ...bash('rm src/a.ts', 'cp a.txt secret.txt', 'frobnicate src/a.ts', 'frobnicate x'),
  ...write('secret2.txt', 'src/n.ts', 'src/deep/n.ts', 'other.txt'),
];

const DENIED = [
  'Read(./secret.txt)',
  'Read(secret.txt)',
  'Read(.env)',
  'Read(./.env)',
  'Read(secrets/**)',
  'Read(./secrets/**)',
  'Read(/secrets/**)',
  'Read(//etc/**)',
  'Read(~/x)',
  'Read(**/*.pem)',
  'Read(*.ts)',
  'Read(src/*.ts)',
  'Read(src)',
  'Read(src/)',
  'Edit(src/**)',
  'Edit(./src/**)',
  'Edit(src/*.ts)',
  'Edit(**)',
  'Edit',
  'Write',
];

/** Cases with one rule that denies files. */
export const deniedFiles: readonly Case[] = DENIED.map((rule) => ({
  name: `denied: ${rule}`,
  options: { disallowedTools: [rule] },
  calls: FILE_CALLS,
}));

export const deniedReads: Case = {
  name: 'denied: Read',
  options: { disallowedTools: ['Read'] },
  calls: [...read('a.txt', '/etc/hostname'), ...bash('cat a.txt', 'ls'), ...write('n.txt')],
};

const WRITES: readonly Call[] = [
  ...read('/etc/hostname', 'a.txt', 'src/a.ts'),
  ...edit('src/a.ts'),
  ...bash('cat a.txt', 'cat /etc/hostname', 'touch src/t.ts', 'echo x > src/y'),
  ...write(
    'n1.txt',
    'src/n.ts',
    'src/deep/n.ts',
    '../never-there/x.txt',
    '.git/config',
    '.claude/settings.json',
    '.bashrc',
  ),
];

const ALLOWED = [
  'Read(//etc/**)',
  'Read(/etc/**)',
  'Read(//etc/hostname)',
  'Read',
  'Read(**)',
  'Edit',
  'Write',
  'Edit(src/**)',
  'Edit(./src/**)',
  'Edit(/src/**)',
  'Write(src/**)',
  'Edit(src/*.ts)',
  'Edit(**)',
  'Write(n1.txt)',
  'Edit(n1.txt)',
  'Edit(*.ts)',
  'Write(*)',
];

/** Cases with one rule that allows files. */
export const allowedFiles: readonly Case[] = ALLOWED.map((rule) => ({
  name: `allowed: ${rule}`,
  options: { allowedTools: [rule] },
  calls: WRITES,
}));

export const addedDirectory: Case = {
  name: 'added directory',
  options: { addDirs: ['/etc'] },
  calls: [...read('/etc/hostname', '/usr/x', 'a.txt'), ...write('/etc/never-written'), ...bash('cat /etc/hostname')],
};

export const searches: Case = {
  name: 'searches',
  options: { tools: ['Read', 'Glob', 'Grep'], disallowedTools: ['Read(secrets/**)'] },
  calls: [
    glob('*.ts'),
    glob('*', 'src'),
    glob('*', 'secrets'),
    glob('secrets/*'),
    glob('*', '/etc'),
    glob('*', '..'),
    glob('/etc/*'),
    grep('one'),
    grep('one', 'src'),
    grep('one', 'secrets'),
    grep('one', 'secrets/key.pem'),
    grep('root', '/etc'),
  ],
};
