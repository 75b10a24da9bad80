import { bash, type Case } from '../case.ts';

/** Programs with subcommands: their first argument counts. */
export const families: readonly string[] = ['git', 'docker'];

/** Commands that the CLI runs without asking, with any flags, except for paths outside the project. */
export const openCommands: readonly string[] =
  'basename cal cat cmp column comm cut df diff dirname du echo expand expr false fmt fold free groups head hexdump id locale ls nl nproc numfmt od paste pr readlink realpath rev seq sleep strings tac tail tr true tsort type uname unexpand uptime wc'.split(
    ' ',
  );

/** The forms in which each of them is measured. */
export const openForms: readonly string[] = [
  '',
  ' a.txt',
  ' a.txt b.txt',
  ' a.txt b.txt src sub',
  ' -Z a.txt',
  ' --frob a.txt',
];

const GREP =
  '|-r|-n|-i|-v|-l|-c|-E|-w|-o|-rn|-ri|-rin|-rl|-rnE|-in|-q|-F|-P|-A 3|-B 3|-C 3|-A3|--include=x|--color=never|--frob|-Z|-X';
const FIND =
  '|-name a.txt|-type f|-type f -name a.txt|-name a.txt -type f|-maxdepth 1|-maxdepth 2 -type f|-maxdepth 2 -name a.txt|-iname a.txt|-path src|-not -name a.txt|-mtime 1|-size 1|-print|-print0|-delete|-name a.txt -delete|-exec ls|-execdir ls|-ok ls|-fprint x|-type f -delete';
const SORT = '|-u|-n|-r|-rn|-nr|-k 2|-o x|-h|-t , -k 1';
const SHAPED: Readonly<Record<string, string>> = {
  grep: each(GREP, 'one', 'one a.txt', 'one a.txt b.txt'),
  egrep: each('||-n|-r', 'one', 'one a.txt'),
  fgrep: each('||-n|-r', 'one', 'one a.txt'),
  find: ['', '.', 'src', 'src sub'].flatMap((at) => FIND.split('|').map((test) => `${at} ${test}`.trim())).join('|'),
  sort: each(SORT, '', 'a.txt', 'a.txt b.txt'),
  uniq: '|-c|-d|-u|a.txt|a.txt b.txt',
  sed: '-n 1p a.txt|-n 1,5p a.txt|s/a/b/ a.txt|p a.txt|-i s/a/b/ a.txt|-e p a.txt|-n "w x" a.txt',
  awk: '1 a.txt|-F , 1 a.txt',
  stat: 'a.txt|a.txt b.txt|-c x a.txt|-f a.txt|-L a.txt',
  tree: '|src|-L 2|-a|-d|-o x|-L 2 src|src sub',
  jq: '. a.txt|-r . a.txt|.|. a.txt b.txt|-c . a.txt',
  rg: 'one|one src|one src sub|-n one|-n one src|-i one|-l one|-l one src|-t ts one|--files|--files src|--pre x one|-X one',
  fd: 'x|x src|-e ts|-x ls|-X ls|-t f|-t f x',
  file: 'a.txt|a.txt b.txt|-b a.txt|-C a.txt',
  base64: 'a.txt|-d a.txt|-D a.txt|-o x a.txt|-w 0 a.txt',
  md5sum: 'a.txt|a.txt b.txt|-c a.txt',
  sha1sum: 'a.txt|a.txt b.txt|-c a.txt',
  sha256sum: 'a.txt|a.txt b.txt|-c a.txt',
  date: '|-u|-s x|-R|-I|-d x',
  hostname: '|x|-f|-i|-I',
  history: '|-c|5',
  pwd: '|-P|-L',
  whoami: '|--version',
  which: 'node|node npm|-a node',
  ps: '|aux|-ef|-e|-aux|-p 1',
  pgrep: 'x|-f x|-l x',
  lsof: '|-i|-p 1|-i :3000',
  netstat: '|-an|-tlnp',
  ss: '|-tlnp|-an|-K',
  man: 'ls|-P x ls|2 ls',
  help: '|cd',
  printf: 'x|x y|"a b"|"%s" x|-v x y',
  tput: 'cols|reset',
  arch: '|-h',
  node: '-v|--version|-e 1|a.txt|a.txt x|a.txt --frob|--test|--frob|src/a.ts x y|--import x a.txt',
  python: '--version|-V|-c 1|a.txt|a.txt x|a.txt --frob x|-m x|-m x y',
  python3: '--version|-V|-c 1|a.txt|a.txt x|a.txt --frob x|-m x|-m x y',
  claude: '-h|--help|--version|-p x|x|x y',
  ifconfig: '|eth0|eth0 up',
  xargs: '|ls|cat|-n1 echo|grep one|wc -l|rm|git status',
};

const GIT: Readonly<Record<string, string>> = {
  status: '|-s|--short|--porcelain|-sb|-b|-u|--short --branch|a.txt|src sub|-uno',
  log: '|--oneline|--oneline -5|--oneline -10|--oneline -n 5|-1|-3|-5|-10|-n 3|-p|--stat|--all|--graph|--oneline --graph|--oneline --graph --all|--all --graph|main|main a.txt|a.txt b.txt src|--oneline main|--oneline a.txt|--author=x|--format=%H|--pretty=oneline|--output=x|--frob',
  diff: '|--stat|--cached|--staged|--name-only|--name-status|main|main a.txt|HEAD~1|HEAD~1 HEAD|--cached --stat|--stat main|--name-only main|a.txt|a.txt b.txt src|--output=x|--frob|--cached a.txt|--no-index a.txt b.txt',
  show: '|HEAD|--stat|--stat HEAD|--name-only HEAD|HEAD main|HEAD~1|--output=x',
  branch: '|-a|-r|-v|-vv|--list|--show-current|x|x main|-d x|-D x|-m x|-m x y|--all|--frob',
  remote: '|-v|show|show origin|add x y|remove x|get-url origin',
  tag: '|-l|--list|x|-a x|-d x|-n',
  stash: '|list|show|push|pop|apply|drop',
  blame: 'a.txt|-L 1,2 a.txt|-w a.txt',
  'ls-files': '|-m|-o|src|--others',
  'rev-parse': 'HEAD|--show-toplevel|--abbrev-ref HEAD|--is-inside-work-tree|--short HEAD|--git-dir',
  'rev-list': 'HEAD|--count HEAD|--all',
  'merge-base': 'main HEAD',
  describe: '|--tags|--always',
  reflog: '|show|expire|-5',
  shortlog: '|-sn|-s',
  'cat-file': '-p HEAD|-t HEAD',
  grep: 'one|-n one|one src|-l one',
  'for-each-ref': '|--format=x',
  'ls-remote': '|origin|--heads',
  worktree: 'list|add x|remove x',
  config: '--get user.name|--list|-l|user.name|user.name x|--global user.name x|--get-all x',
  add: '|a.txt|a.txt b.txt|-A|.|-p|-u',
  commit: '|-m x|-m "a b"|-am x|-a|--amend|--amend --no-edit|--no-verify -m x',
  push: '|origin|origin main|-u origin main|--force|-f|--force origin main|--tags|--dry-run',
  pull: '|origin main|--rebase|origin',
  fetch: '|origin|--all|origin main|--prune',
  checkout: 'main|-b x|-- a.txt|a.txt|main a.txt|.',
  switch: 'main|-c x',
  merge: 'main|--no-ff main|--abort',
  rebase: 'main|-i main|--abort|--continue',
  reset: '|HEAD|--hard|--hard HEAD|--soft HEAD~1|a.txt',
  restore: 'a.txt|--staged a.txt|.',
  clean: '-n|-f|-fd|-fdx',
  clone: 'x|x y|--depth=1 x',
  init: '|x',
  rm: 'a.txt|-r src|--cached a.txt',
  mv: 'a.txt b.txt|a.txt src',
  'cherry-pick': 'x|--abort|--continue',
  revert: 'HEAD|--no-edit HEAD|--abort',
  apply: 'a.txt|--check a.txt',
  submodule: '|update|update --init|status',
  bisect: 'start|good|bad',
  gc: '|--prune',
};

const DOCKER: Readonly<Record<string, string>> = {
  ps: '|-a|-q|--all',
  images: '|-a|-q',
  logs: 'x|-f x|--tail=5 x',
  inspect: 'x|x y',
  run: 'x|-it x|--rm x|x ls',
  build: '.|-t x .',
  exec: 'x ls|-it x sh',
  rm: 'x|-f x',
  rmi: 'x|-f x',
  stop: 'x|x y',
  start: 'x|x y',
  pull: 'x|-q x',
  push: 'x|-q x',
  compose: 'up|ps|up -d|down',
  system: 'prune|df',
  volume: 'ls|rm x',
  network: 'ls|rm x',
};

/** A sample of commands that are unknown to the CLI or change something. */
const UNKNOWN =
  'frobnicate|frobnicate x|frobnicate --help|frobnicate --version|frobnicate -v|./run.sh|./run.sh x|scripts/deploy.sh --prod|deploy|deploy --dry-run x|npm test|npm run build|npm install|npm --version|npm ls|npx vitest|pnpm test|yarn build|bun test|deno test|make|make all|make -n|cargo build|cargo test|cargo --version|go build|go test x|go version|mvn test|gradle build|pip install x|pip list|pytest|pytest -q|ruby a.txt|php a.txt|perl a.txt|tsc|tsc --noEmit|eslint src|prettier --check src|biome check|kubectl get pods|terraform plan|helm list|aws s3 ls|gh pr list|gh pr view 1|gh issue list|gh auth status|curl x|wget x|ssh x|scp a.txt x|rsync a.txt x|rm a.txt|rm -rf build|rmdir x|mkdir x|touch x|mv a.txt x|cp a.txt x|ln -s a.txt x|chmod +x a.txt|chown x a.txt|tee x|dd if=a.txt|kill 1|pkill x|killall x|systemctl status|crontab -l|apt list|brew list|tar tf x|unzip x|zip x a.txt|gzip a.txt|printenv|printenv HOME|psql x|mysql x|redis-cli x|sqlite3 x|openssl version|gpg x|vim a.txt|nano a.txt|less a.txt|more a.txt|top|htop|code .|open .|say x|shutdown now|mount|diskutil list|nslookup x|dig x|ping x|traceroute x'.split(
    '|',
  );

/** Single commands without a rule. */
export const commands: Case = {
  name: 'commands',
  options: {},
  calls: bash(
    ...openCommands.flatMap((name) => openForms.map((form) => `${name}${form}`)),
    ...Object.entries(SHAPED).flatMap(([name, forms]) => forms.split('|').map((form) => `${name} ${form}`.trim())),
    ...familyOf('git', GIT),
    ...familyOf('docker', DOCKER),
    ...UNKNOWN,
  ),
};

function familyOf(name: string, parts: Readonly<Record<string, string>>): string[] {
  return Object.entries(parts).flatMap(([part, forms]) =>
    forms.split('|').map((form) => `${name} ${part} ${form}`.trim()),
  );
}

/** Each of the flags with each of the operands. */
function each(flags: string, ...operands: readonly string[]): string {
  const forms = flags.split('|').flatMap((flag) => operands.map((operand) => `${flag} ${operand}`.trim()));
  return [...new Set(forms)].join('|');
}
