import process from 'node:process';
import type { Victim } from './victim.ts';

/** A command of a tool that tries to get out, and what it prints if it cannot. */
export interface Attack {
  readonly on: string;
  readonly command: string;
  readonly fails: RegExp;
}

/** Attacks that fail on each network. */
export function attacksOn({ folder, pid, socket }: Victim): readonly Attack[] {
  return [
    { on: 'files', command: `cat ${folder}/secret.txt`, fails: /No such file/ },
    {
      on: 'files, by a search',
      command: 'find / -path /proc -prune -o -path /usr -prune -o -name secret.txt -print 2>/dev/null; echo searched',
      fails: /^searched$/,
    },
    { on: 'files, through the first process', command: `ls /proc/1/root${folder}`, fails: /No such file/ },
    { on: 'files, by writing', command: `echo mine > ${folder}/secret.txt`, fails: /No such file|nonexistent/ },
    { on: 'the programs of the system', command: 'touch /usr/bin/new', fails: /Read-only file system/ },
    { on: 'the processes', command: `kill -9 ${pid}`, fails: /No such process/ },
    { on: 'the processes, by name', command: 'pkill -9 -f "[s]etInterval" || echo none', fails: /^none$/ },
    { on: 'the list of processes', command: 'ls -d /proc/[0-9]* | wc -l', fails: /^\d$/ },
    {
      on: 'the environment of processes',
      command: "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c -e VICTIM_SECRET -e HOST_SECRET",
      fails: /^0$/m,
    },
    { on: 'the socket of a database', command: connecting(`{ path: '${socket}' }`), fails: /ENOENT/ },
    { on: 'the shared memory', command: filling('/dev/shm'), fails: /No space left on device/ },
    { on: 'the temporary files', command: filling('/tmp'), fails: /No space left on device/ },
    { on: 'the home', command: filling('$HOME'), fails: /No space left on device/ },
    {
      on: 'memory, with files elsewhere',
      command: 'for d in / /dev /run /var /etc; do touch $d/new && echo WRITTEN; done; true',
      fails: /^(?!.*WRITTEN)/s,
    },
    { on: 'setuid', command: 'grep NoNewPrivs /proc/self/status', fails: /NoNewPrivs:\s+1$/ },
    { on: 'capabilities', command: 'grep -E "Cap(Prm|Bnd|Amb)" /proc/self/status', fails: /^(Cap\w+:\s+0{16}\s*){3}$/ },
    { on: 'the kernel, by a user namespace', command: 'unshare -U echo NESTED', fails: /unshare failed/ },
    { on: 'the kernel', command: 'echo core > /proc/sys/kernel/core_pattern', fails: /Read-only|Permission denied/ },
    { on: 'the mounts', command: 'mount -o remount,bind,rw /usr', fails: /denied|must be superuser|not permitted/ },
    { on: 'devices', command: 'mknod /tmp/disk b 254 0', fails: /not permitted/ },
    { on: 'the namespaces of others', command: `nsenter -t ${pid} -a ls`, fails: /No such file/ },
  ];
}

/** Attacks that fail without the network of the machine. */
export function networkAttacksOn({ port, abstract }: Victim): readonly Attack[] {
  const name = `String.fromCharCode(0) + '${abstract.slice(1)}'`;
  return [
    { on: 'a port of loopback', command: connecting(`{ host: '127.0.0.1', port: ${port} }`), fails: /ECONNREFUSED/ },
    { on: 'an abstract socket', command: connecting(`{ path: ${name} }`), fails: /ECONNREFUSED/ },
    {
      on: 'other machines',
      command: connecting(`{ host: '192.0.2.1', port: 80 }`),
      fails: /ENETUNREACH/,
    },
    {
      on: 'other hosts, by the proxy',
      command: `${process.execPath} -e "require('node:http').get(process.env.HTTP_PROXY, { path: 'http://elsewhere.test/' }, (answer) => console.log(answer.statusCode))"`,
      fails: /403/,
    },
  ];
}

function connecting(to: string): string {
  const program = `require('node:net').connect(${to}).on('connect', () => console.log('CONNECTED')).on('error', (e) => console.log(e.code))`;
  return `${process.execPath} -e "${program}"`;
}

/** The CLI has the output of a command in a temporary file, so it is printed when there is space again. */
function filling(folder: string): string {
  return `said=$(dd if=/dev/zero of=${folder}/full bs=1M count=600 2>&1); rm -f ${folder}/full; echo "$said"`;
}
