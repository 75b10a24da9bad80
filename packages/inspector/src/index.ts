// The public API: named exports only. Every line added here must stay stable.

export type * from './api.ts';
export { askInspector, type DecideFirst } from './ask-inspector.ts';
export type { Actor, Controls } from './conversations/controls.ts';
export type { ConversationRecord } from './conversations/record.ts';
export { type Inspector, inspect, type Watchable } from './inspect.ts';
export type { DiskOpener, DiskOptions, InspectOptions } from './options.ts';
export { type RunningProgram, runningPrograms } from './programs/running.ts';
export type { PushOptions } from './push/pusher.ts';
export type { AuthHook } from './server/access.ts';
export type { WatchableFleet } from './sources/fleet/watchable-fleet.ts';
export type { Observable, WatchablePool } from './sources/process/watchable.ts';
export type { Source } from './sources/source.ts';
export { InspectorStartError } from './start-error.ts';
export type { EndedTurn } from './stats/aggregates.ts';
