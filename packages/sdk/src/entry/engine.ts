// What runs queries and sessions. It is loaded by the first call that needs it: see load-engine.ts.
export { inspectCli } from '../cli/inspect.ts';
export { queryWith } from '../query/query.ts';
export { openSessionWith } from '../session/open.ts';
export { superviseSessionWith } from '../supervise/open.ts';
