import { type Options, resolveSettings, type Settings } from '@anthropic-ai/claude-agent-sdk';

const settings: Settings = {
  model: 'opus',
  permissions: { allow: ['Read'], defaultMode: 'acceptEdits' },
  hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  statusLine: { type: 'command', command: 'date' },
  anUnknownOne: true,
};
export const options: Options = { settings, settingSources: ['user', 'project'], sandbox: { enabled: true } };
export const mode: Settings = { permissions: { defaultMode: 'sometimes' } }; // wrong
export const effort: Settings = { effortLevel: 'extreme' }; // wrong
export const hook: Settings = { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } }; // wrong
export const source: Options = { settingSources: ['cloud'] }; // wrong
const { effective, sources } = await resolveSettings({ cwd: '/' });
console.log(effective.model?.trim(), effective.verbose, sources[0]?.path);
effective.model?.toFixed(); // wrong
