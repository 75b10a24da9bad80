import { type JsonObject, objectOf } from '../../json.ts';

/** The modes that the host can set. */
export const PERMISSION_MODES: readonly string[] = [
  'acceptEdits',
  'auto',
  'bypassPermissions',
  'default',
  'dontAsk',
  'plan',
];

/** The mode in which a session starts. */
export function startingMode(flag: string | undefined, settings: JsonObject | undefined): string {
  const { defaultMode } = objectOf(settings?.permissions) ?? {};
  return flag ?? (typeof defaultMode === 'string' ? defaultMode : 'default');
}

interface ModedSession {
  permissionMode: string;
  emit(frame: JsonObject): void;
}

/** Changes the permission mode and reports it. */
export function setPermissionMode(session: ModedSession, mode: string): void {
  session.permissionMode = mode;
  session.emit({ type: 'system', subtype: 'status', status: null, permissionMode: mode });
}
