/**
 * What the orphan guard runs. It reads `+pid` and `-pid` lines; when its stdin ends with pids left, the host is dead:
 * each of them gets SIGINT, so that the CLI stops its tools itself, and a second later whatever is left of it, of its
 * descendants and of their groups gets SIGKILL. Descendants are noted from the first moment on, because those in
 * sessions of their own cannot be found once their parent is gone.
 */
export const GUARD_SCRIPT = `
trap '' INT TERM HUP
pids=' '
while IFS= read -r line; do
  pid=\${line#?}
  case $line in
    +*) pids="$pids$pid " ;;
    -*) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done

tree=' '
note() {
  case $tree in *" $1 "*) return 1 ;; esac
  tree="$tree$1 "
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
  table=$(ps -A -o pid= -o ppid=)
  grown=1
  while [ $grown = 1 ]; do
    grown=0
    child=
    for field in $table; do
      if [ -z "$child" ]; then child=$field; continue; fi
      case "$pids$tree" in *" $field "*) note $child && grown=1 ;; esac
      child=
    done
  done
}
look() {
  if [ -r /proc/$$/task/$$/children ]; then look_in_proc $pids $tree; else look_in_ps; fi
}
alive() {
  for pid in $pids; do kill -0 $pid && return; done
  return 1
}

look
for pid in $pids; do kill -s INT $pid; done
tries=10
while [ $tries -gt 0 ] && alive; do
  look
  sleep 0.1 || { sleep 1; tries=1; }
  tries=$((tries - 1))
done
look
for pid in $pids $tree; do
  kill -s KILL -- -$pid
  kill -s KILL $pid
done
`;
