/**
 * What the orphan guard runs. It reads `+pid` and `-pid` lines, and `q` when it is not needed any more; when its stdin
 * ends with pids left, the host is dead. All CLIs are then stopped at once, with one `kill` for their groups: a CLI that
 * finds its host gone may run the tool a hook was asked about (2.1.197 does). Only then is there time to look for their
 * descendants, which have sessions of their own, and to kill everyone.
 */
export const GUARD_SCRIPT = `
trap '' INT TERM HUP
pids=' '
while IFS= read -r line; do
  pid=\${line#?}
  case $line in
    q) exit ;;
    +*) pids="$pids$pid " ;;
    -*) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done

all=
for pid in $pids; do all="$all -$pid $pid"; done
[ -n "$all" ] || exit 0
kill -s STOP -- $all

tree=' '
grown=0
note() {
  case "$pids$tree" in *" $1 "*) return 1 ;; esac
  tree="$tree$1 "
  all="$all -$1 $1"
  grown=1
  kill -s STOP -- -$1 $1
}
look_in_proc() {
  while [ $# -gt 0 ]; do
    for list in /proc/$1/task/*/children; do
      children=
      read -r children <"$list"
      for child in $children; do
        note $child && set -- "$@" $child
      done
    done
    shift
  done
}
look_in_ps() {
  child=
  for field in $(ps -A -o pid= -o ppid=); do
    if [ -z "$child" ]; then child=$field; continue; fi
    case "$pids$tree" in *" $field "*) note $child ;; esac
    child=
  done
}
# Of another PID namespace, the pids in /proc are those of strangers, and ps reads nothing else on Linux.
look() {
  self=
  [ -e /proc/self ] && read -r self rest </proc/self/stat
  if [ ! -e /proc/self ]; then look_in_ps
  elif [ "$self" != $$ ]; then return
  elif [ -r /proc/$$/task/$$/children ]; then look_in_proc $pids $tree
  else look_in_ps
  fi
}

# Who was found running may have started another meanwhile.
looks=20
while [ $looks -gt 0 ]; do
  grown=0
  look
  [ $grown = 1 ] || break
  looks=$((looks - 1))
done
kill -s KILL -- $all
`;
