/** What a program spends its time on, in display order. */
export const KINDS = {
  waiting: 'waiting for the CLI',
  starting: 'starting processes (fork and exec)',
  writing: 'writing to a pipe',
  system: 'other system calls',
  loading: 'loading code',
  node: "Node's own JavaScript: streams, processes, timers",
  json: 'JSON.parse, with what is inlined around it',
  own: "the contender's own JavaScript",
  collecting: 'collecting garbage',
  vm: 'the rest of the VM',
};

/** The kind of a frame of a CPU profile. */
export function kindOf({ functionName, url }, line) {
  if (functionName === '(idle)') return 'waiting';
  if (functionName === '(garbage collector)') return 'collecting';
  if (functionName.startsWith('(')) return 'vm';
  if (LOADING.has(functionName)) return 'loading';
  // The system call itself is counted with its caller.
  if (functionName === 'ChildProcess.spawn') return 'starting';
  if (url === '') return nativeKind(functionName);
  if (url.startsWith('node:')) return 'node';
  // A line of the built package is a whole file: only the function name identifies the kind.
  const parses = url.includes('/dist/') ? functionName === 'decodeLine' : line?.includes('JSON.parse');
  return parses ? 'json' : 'own';
}

const LOADING = new Set(['compileSourceTextModule', 'compileForInternalLoader', 'compileFunction', 'wrapSafe']);

/** A function without a location is C++: mostly a system call. */
function nativeKind(name) {
  if (name === 'spawn') return 'starting';
  if (/^write/.test(name)) return 'writing';
  return name === 'runMicrotasks' ? 'vm' : 'system';
}
