// The entry `coxswain/observe`: what a tool is made from that watches the runs of a program, such as a tracer or a dashboard.
export { costOfResult } from './messages/cost.ts';
export { addCosts } from './messages/turn-cost.ts';
export { poolOf } from './pool/create-pool.ts';
export { queryOf } from './query/query-stream.ts';
export type { ObservedOptions } from './report/observed-options.ts';
export type {
  ObservedMessage,
  ObservedPrompt,
  ObservedRun,
  ObservedSlot,
  ObservedTurnEnd,
  RunObserver,
  RunWatcher,
} from './report/run-observer.ts';
export { sessionOf } from './session/session.ts';
