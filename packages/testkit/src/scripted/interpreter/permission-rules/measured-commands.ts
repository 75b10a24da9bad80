// Made by `npm run permissions` from conformance/permissions/measured.json; do not edit.

/** What the CLI does with a command that no rule and no mode decides. */
export type Decided = 'runs' | 'asks';

/** Commands that run with any flags. */
export const openCommands: readonly string[] = items(`
basename | cal | cat | cmp | column | comm | cut | df | diff | dirname | du | echo | expand | expr | false | fmt
fold | free | groups | head | hexdump | id | locale | ls | nl | nproc | numfmt | od | paste | pr | readlink
realpath | rev | seq | sleep | strings | tac | tail | tr | true | tsort | type | uname | unexpand | uptime | wc
`);

/** Programs whose first argument counts. */
export const families: readonly string[] = items('git | docker');

/** The shapes of the other commands (see command-shape.ts); those that vary depend on more than their shape. */
export const measuredShapes: Readonly<Record<Decided | 'varies', readonly string[]>> = {
  runs: items(`
grep _ | grep _ _ | grep -r _ | grep -r _ _ | grep -n _ | grep -n _ _ | grep -i _ | grep -i _ _ | grep -v _
grep -v _ _ | grep -l _ | grep -l _ _ | grep -c _ | grep -c _ _ | grep -E _ | grep -E _ _ | grep -w _
grep -w _ _ | grep -o _ | grep -o _ _ | grep -rn _ | grep -rn _ _ | grep -ri _ | grep -ri _ _ | grep -rin _
grep -rin _ _ | grep -rl _ | grep -rl _ _ | grep -rnE _ | grep -rnE _ _ | grep -in _ | grep -in _ _ | grep -q _
grep -q _ _ | grep -F _ | grep -F _ _ | grep -P _ | grep -P _ _ | grep -A _ _ | grep -B _ _ | grep -C _ _
grep -A3 _ | grep -A3 _ _ | grep --include=x _ | grep --include=x _ _ | grep --color=never _
grep --color=never _ _ | grep -Z _ | grep -Z _ _ | egrep _ | egrep _ _ | egrep -n _ | egrep -n _ _ | egrep -r _
egrep -r _ _ | fgrep _ | fgrep _ _ | fgrep -n _ | fgrep -n _ _ | fgrep -r _ | fgrep -r _ _ | find | find -name _
find -type _ | find -type _ -name _ | find -name _ -type _ | find -maxdepth _ | find -maxdepth _ -type _
find -maxdepth _ -name _ | find -iname _ | find -path _ | find -not -name _ | find -mtime _ | find -size _
find -print | find -print0 | find _ | find _ -name _ | find _ -type _ | find _ -type _ -name _
find _ -name _ -type _ | find _ -maxdepth _ | find _ -maxdepth _ -type _ | find _ -maxdepth _ -name _
find _ -iname _ | find _ -path _ | find _ -not -name _ | find _ -mtime _ | find _ -size _ | find _ -print
find _ -print0 | find _ _ | find _ _ -name _ | find _ _ -type _ | find _ _ -type _ -name _
find _ _ -name _ -type _ | find _ _ -maxdepth _ | find _ _ -maxdepth _ -type _ | find _ _ -maxdepth _ -name _
find _ _ -iname _ | find _ _ -path _ | find _ _ -not -name _ | find _ _ -mtime _ | find _ _ -size _
find _ _ -print | find _ _ -print0 | sort | sort _ | sort _ _ | sort -u | sort -u _ | sort -u _ _ | sort -n
sort -n _ | sort -n _ _ | sort -r | sort -r _ | sort -r _ _ | sort -rn | sort -rn _ | sort -rn _ _ | sort -nr
sort -nr _ | sort -nr _ _ | sort -k _ | sort -k _ _ | sort -h | sort -h _ | sort -h _ _ | sort -t _ -k _
sort -t _ -k _ _ | uniq | uniq -c | uniq -d | uniq -u | stat _ | stat _ _ | stat -c _ _ | stat -f _ | stat -L _
tree | tree _ | tree -L _ | tree -a | tree -d | tree -L _ _ | tree _ _ | jq _ _ | jq -r _ _ | jq _ | jq -c _ _
rg _ | rg _ _ | rg -n _ | rg -n _ _ | rg -i _ | rg -l _ | rg -l _ _ | rg -t _ _ | fd _ | fd _ _ | fd -e _
fd -t _ | fd -t _ _ | file _ | file _ _ | file -b _ | base64 _ | base64 -d _ | base64 -D _ | base64 -w _ _
md5sum _ | md5sum _ _ | md5sum -c _ | sha1sum _ | sha1sum _ _ | sha1sum -c _ | sha256sum _ | sha256sum _ _
sha256sum -c _ | date | date -u | date -R | date -I | date -d _ | hostname | hostname -f | hostname -i
hostname -I | history | history _ | pwd | whoami | which _ | which _ _ | which -a _ | ps | ps _ | ps -ef | ps -e
ps -p _ | pgrep _ | pgrep -f _ | pgrep -l _ | lsof | lsof -i | lsof -p _ | lsof -i _ | netstat | netstat -an | ss
ss -tlnp | ss -an | man _ | man _ _ | help | help _ | printf _ | printf _ _ | arch | arch -h | node -v
node --version | python --version | python3 --version | claude -h | claude --help | ifconfig | ifconfig _
git status | git status -s | git status --short | git status --porcelain | git status -sb | git status -b
git status --short --branch | git status _ | git status _ _ | git log | git log --oneline | git log --oneline -1
git log --oneline -n _ | git log -1 | git log -n _ | git log -p | git log --stat | git log --all
git log --graph | git log --oneline --graph | git log --oneline --graph --all | git log --all --graph | git log _
git log _ _ | git log --oneline _ | git log --author=x | git log --format=%H | git log --pretty=oneline
git diff | git diff --stat | git diff --cached | git diff --staged | git diff --name-only
git diff --name-status | git diff _ | git diff _ _ | git diff --cached --stat | git diff --stat _
git diff --name-only _ | git diff --cached _ | git diff --no-index _ _ | git show | git show _ | git show --stat
git show --stat _ | git show --name-only _ | git show _ _ | git branch | git branch -a | git branch -r
git branch -v | git branch -vv | git branch --list | git branch --show-current | git branch --all | git remote
git remote -v | git tag | git tag -l | git tag --list | git blame _ | git blame -L _ _ | git blame -w _
git ls-files | git ls-files -m | git ls-files -o | git ls-files _ | git ls-files --others | git rev-parse _
git rev-parse --show-toplevel | git rev-parse --abbrev-ref _ | git rev-parse --is-inside-work-tree
git rev-parse --short _ | git rev-parse --git-dir | git rev-list _ | git rev-list --count _ | git rev-list --all
git merge-base _ _ | git describe | git describe --tags | git describe --always | git reflog | git reflog -1
git shortlog | git shortlog -sn | git shortlog -s | git cat-file -p _ | git cat-file -t _ | git grep _
git grep -n _ | git grep _ _ | git grep -l _ | git for-each-ref | git ls-remote | git ls-remote --heads
git worktree _ | git config --get _ | docker ps | docker ps -a | docker ps -q | docker ps --all | docker images
docker images -a | docker images -q | docker logs _ | docker logs -f _ | docker logs --tail=5 _
docker inspect _ | docker inspect _ _
`),
  asks: items(`
grep --frob _ | grep --frob _ _ | grep -X _ | grep -X _ _ | find -delete | find -name _ -delete | find -exec _
find -execdir _ | find -ok _ | find -fprint _ | find -type _ -delete | find _ -delete | find _ -name _ -delete
find _ -exec _ | find _ -execdir _ | find _ -ok _ | find _ -fprint _ | find _ -type _ -delete | find _ _ -delete
find _ _ -name _ -delete | find _ _ -exec _ | find _ _ -execdir _ | find _ _ -ok _ | find _ _ -fprint _
find _ _ -type _ -delete | sort -o _ | sort -o _ _ | uniq _ | uniq _ _ | sed _ _ | sed -i _ _ | sed -e _ _
tree -o _ | rg --files | rg --files _ | rg --pre _ _ | rg -X _ | fd -x _ | fd -X _ | file -C _ | base64 -o _ _
date -s _ | hostname _ | history -c | pwd -P | pwd -L | whoami --version | ps -aux | netstat -tlnp | ss -K
man -P _ _ | printf -v _ _ | node -e _ | node _ | node _ _ | node _ --frob | node --test | node --frob
node --import _ _ | python -V | python -c _ | python _ | python _ _ | python _ --frob _ | python -m _
python -m _ _ | python3 -V | python3 -c _ | python3 _ | python3 _ _ | python3 _ --frob _ | python3 -m _
python3 -m _ _ | claude --version | claude -p _ | claude _ | claude _ _ | ifconfig _ _ | git status -u
git status -uno | git log --output=x | git log --frob | git diff --output=x | git diff --frob
git show --output=x | git branch _ | git branch _ _ | git branch -d _ | git branch -D _ | git branch -m _
git branch -m _ _ | git branch --frob | git remote _ | git remote _ _ | git tag _ | git tag -a _ | git tag -d _
git tag -n | git stash | git for-each-ref --format=x | git ls-remote _ | git worktree _ _ | git config --list
git config -l | git config _ | git config _ _ | git config --global _ _ | git config --get-all _ | git add
git add _ | git add _ _ | git add -A | git add -p | git add -u | git commit | git commit -m _ | git commit -am _
git commit -a | git commit --amend | git commit --amend --no-edit | git commit --no-verify -m _ | git push
git push _ | git push _ _ | git push -u _ _ | git push --force | git push -f | git push --force _ _
git push --tags | git push --dry-run | git pull | git pull _ _ | git pull --rebase | git pull _ | git fetch
git fetch _ | git fetch --all | git fetch _ _ | git fetch --prune | git checkout _ | git checkout -b _
git checkout -- _ | git checkout _ _ | git switch _ | git switch -c _ | git merge _ | git merge --no-ff _
git merge --abort | git rebase _ | git rebase -i _ | git rebase --abort | git rebase --continue | git reset
git reset _ | git reset --hard | git reset --hard _ | git reset --soft _ | git restore _ | git restore --staged _
git clean -n | git clean -f | git clean -fd | git clean -fdx | git clone _ | git clone _ _
git clone --depth=1 _ | git init | git init _ | git rm _ | git rm -r _ | git rm --cached _ | git mv _ _
git cherry-pick _ | git cherry-pick --abort | git cherry-pick --continue | git revert _ | git revert --no-edit _
git revert --abort | git apply _ | git apply --check _ | git submodule | git submodule _ | git submodule _ --init
git bisect _ | git gc | git gc --prune | docker run _ | docker run -it _ | docker run --rm _ | docker run _ _
docker build _ | docker build -t _ _ | docker exec _ _ | docker exec -it _ _ | docker rm _ | docker rm -f _
docker rmi _ | docker rmi -f _ | docker stop _ | docker stop _ _ | docker start _ | docker start _ _
docker pull _ | docker pull -q _ | docker push _ | docker push -q _ | docker compose _ | docker compose _ -d
docker system _ | docker volume _ | docker volume _ _ | docker network _ | docker network _ _
`),
  varies: items(`
sed -n _ _ | tput _ | git stash _ | git reflog _
`),
};

function items(text: string): readonly string[] {
  return text.trim().split(/\s*[|\n]\s*/);
}
