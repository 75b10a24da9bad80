import { query, startup } from '@anthropic-ai/claude-agent-sdk';

const running = query({ prompt: 'Hello.' });
await running.setPermissionMode('acceptEdits');
await running.setPermissionMode('free'); // wrong
await running.setModel();
await running.setModel(5); // wrong
const [model] = await running.supportedModels();
console.log(
  model?.displayName,
  (await running.supportedCommands())[0]?.argumentHint,
  (await running.accountInfo()).email,
);
console.log(model.displayName); // wrong
const { canRewind } = await running.rewindFiles('id', { dryRun: true });
await running.applyFlagSettings({ model: 'opus', permissions: null });
await running.applyFlagSettings({ model: 5 }); // wrong
const warm = await startup({ options: { model: 'haiku' } });
for await (const message of warm.query('Hello.')) console.log(message.type, canRewind);
running.stop(); // wrong
running.close();
