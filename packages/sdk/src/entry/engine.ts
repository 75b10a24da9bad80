// What runs queries and sessions. It is loaded by the first call that needs it: see part.ts.
export { inspectCli } from '../cli/inspect.ts';
export { queryWith } from '../query/query.ts';
export { openSessionWith } from '../session/open.ts';
