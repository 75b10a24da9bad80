const OWN = 'tests a feature that only Coxswain has';
const VERSION = 'tests the version check, which only Coxswain has';
const ONE_WAY = 'the CLI in it answers no handshake, and the official SDK always makes one';

/** The scenarios that cannot run on the official SDK, and why. */
export const LEFT_OUT = {
  'line-over-the-limit': `${OWN}: limits.maxLineBytes`,
  'exit-3-after-the-result-strict': `${OWN}: strictExit`,
  'hook-throws-blocking': `${OWN}: onFailure`,
  'permission-hangs': `${OWN}: limits.permissionTimeoutMs; without it, both SDKs wait forever`,
  'tool-hangs': `${OWN}: limits.toolCallTimeoutMs`,
  'permission-later-never': `${OWN}: decideLater()`,
  'permission-answered-twice': `${OWN}: answerPermission()`,
  'control-request-callback-throws': `${OWN}: onControlRequest`,
  'event-handler-stops-the-session': `${OWN}: onEvent`,
  'event-handler-sends-prompts': `${OWN}: onEvent`,
  'result-missing-after-an-interrupt': `${OWN}: the events of a session`,
  'stop-from-everywhere': `${OWN}: the events of a session`,
  'hook-sends-a-prompt-and-waits': 'the official SDK has no turn per prompt that could be awaited',
  'hook-stops-the-session': 'closing a query of the official SDK ends it without a result or an error',
  'flood-after-the-result': ONE_WAY,
  'stdin-closed-at-once': ONE_WAY,
  'does-not-leave-after-the-result': ONE_WAY,
  'version-too-old': VERSION,
  'version-garbage': VERSION,
  'version-garbage-in-a-session': VERSION,
  'version-hangs': VERSION,
  'version-hangs-in-a-session': VERSION,
};
