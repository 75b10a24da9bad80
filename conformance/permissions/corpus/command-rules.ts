import { bash, type Case } from '../case.ts';

/** Rules that allow commands, and shell syntax around them. */
export const allowedCommands: Case = {
  name: 'allowed commands',
  options: {
    allowedTools: [
      'Bash(npm run *)',
      'Bash(git push:*)',
      'Bash(make)',
      'Bash(dep*)',
      'Bash(docker * ps)',
      'Bash(npm test)',
      'Bash(git commit -m *)',
      'Bash(a*b)',
      'Bash(UP *)',
    ],
  },
  calls: bash(
    ...'npm run|npm run build|npm  run build|npm run build --watch|npm runx|npm run build && npm run lint|npm run build && rm x|npm run build; npm run lint|npm run a || npm run b|npm test|npm test -- x|npm test && npm run x|npm install|git push|git push origin main|git pushx|git push origin main && git status|git status && npm run a|make|make all|deploy|dep|dep x|docker x ps|docker a b ps|docker x ps -a|git commit -m "a b"|git commit -m x|git commit|axb|ab|a b|lower x|up x|UP x|frobnicate|ls|npm run a 2>&1|npm run "a b"|npm run a;'.split(
      '|',
    ),
    ...[
      'npm run a | cat',
      'npm run a | tee x',
      'npm run a\nnpm run b',
      'npm run a\nrm x',
      'npm run a > out.txt',
      'npm run a > /dev/null',
      'npm run a 2>/dev/null',
      'npm run a < a.txt',
      'npm run $(whoami)',
      'npm run `whoami`',
      'npm run $HOME',
      'npm run *',
      'npm run a &',
      'npm run {a,b}',
      'FOO=1 npm run a',
      'NODE_ENV=test npm run a',
      'timeout 5 npm run a',
      'nice npm run a',
      'time npm run a',
      'env npm run a',
      'sudo npm run a',
      'xargs npm run a',
      'echo a | xargs npm run',
      '(npm run a)',
      '{ npm run a; }',
      'if true; then npm run a; fi',
      '! npm run a',
      'npm run a # note',
      "bash -c 'npm run a'",
      'npm run a <<EOF\nx\nEOF',
      "'npm' run a",
      '\\npm run a',
      'npm run a && (rm x)',
      'npm run a & rm x',
    ],
  ),
};

/** Rules that deny commands, in a session that allows all others. */
export const deniedCommands: Case = {
  name: 'denied commands',
  options: {
    allowedTools: ['Bash'],
    disallowedTools: ['Bash(rm *)', 'Bash(git push:*)', 'Bash(curl*)', 'Bash(npm publish)'],
  },
  calls: bash(
    ...'rm x|rm|rmdir x|rm  x|ls && rm x|ls; rm x|rm x 2>/dev/null|echo rm x|echo "rm x"|git push|git push origin|git pull && git push|git -C . push|git pull|curl x|curlx|npm publish|npm publish --tag x|frobnicate|frobnicate a && frobnicate b|ls'.split(
      '|',
    ),
    ...[
      'ls | rm x',
      'ls\nrm x',
      '  rm x',
      'echo $(rm x)',
      'echo `rm x`',
      '(rm x)',
      '{ rm x; }',
      'FOO=1 rm x',
      'timeout 5 rm x',
      'nice rm x',
      'env rm x',
      'xargs rm x',
      'ls | xargs rm',
      'sudo rm x',
      "bash -c 'rm x'",
      '/bin/rm x',
      '\\rm x',
      "'rm' x",
      'command rm x',
      'exec rm x',
      'eval rm x',
      'find src -delete',
      'rm x > out',
      'if true; then rm x; fi',
      'for i in 1; do rm x; done',
      'rm x &',
      '! rm x',
      'a=rm; $a x',
      'echo "a; rm x"',
      'cat <<EOF\nrm x\nEOF',
      'function f { rm x; }; f',
    ],
  ),
};

/** A rule that denies a part of what another allows, and one that asks about a part of it. */
export const restrictedCommands: Case = {
  name: 'commands denied and asked about in part',
  options: {
    allowedTools: ['Bash(git *)'],
    disallowedTools: ['Bash(git push *)'],
    settings: { permissions: { ask: ['Bash(git commit *)'] } },
  },
  calls: bash(
    'git push x',
    'git add a.txt',
    'git status',
    'git commit -m x',
    'ls && git commit',
    'git add a.txt && git push x',
  ),
};

/** A session that allows every command. */
export const allCommands: Case = {
  name: 'all commands allowed',
  options: { allowedTools: ['Bash'] },
  calls: bash(
    ...[
      'frobnicate x',
      'frobnicate && frobnicate',
      'echo $(frobnicate)',
      'FOO=1 frobnicate',
      'frobnicate > x',
      'cat /etc/hostname',
      'curl x | sh',
      'eval ls',
      'sudo frobnicate',
      'git push --force',
      'rm x',
      'rm -rf src/nosuch',
      'rm -rf ../nosuch-x',
      'rm -rf ~/nosuch',
      'rm -rf ./*',
      'touch x',
      'touch .git/x',
      'touch .claude/x',
      'cp a.txt .claude/settings.json',
      'sed -i s/a/b/ .git/config',
      'echo x > .git/config',
      'echo x > .bashrc',
      'echo x > y',
      'cat .env',
      'cd /tmp && frobnicate',
    ],
  ),
};

export const allCommandsByStar: Case = {
  name: 'all commands allowed with Bash(*)',
  options: { allowedTools: ['Bash(*)'] },
  calls: bash('frobnicate x', 'echo $(frobnicate)', 'frobnicate > x', 'FOO=1 frobnicate', 'cat /etc/hostname', 'ls'),
};

export const askedCommands: Case = {
  name: 'all commands asked about',
  options: { allowedTools: ['Bash(frobnicate *)'], settings: { permissions: { ask: ['Bash'] } } },
  calls: bash('ls', 'frobnicate x', 'npm test'),
};
