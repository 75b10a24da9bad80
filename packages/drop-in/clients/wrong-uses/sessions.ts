import { forkSession, getSessionMessages, listSessions, type SDKSessionInfo } from '@anthropic-ai/claude-agent-sdk';

const sessions: SDKSessionInfo[] = await listSessions({ dir: '/', limit: 5 });
for (const { sessionId, summary, lastModified, customTitle } of sessions) {
  console.log(sessionId, summary, new Date(lastModified), customTitle?.trim());
  const messages = await getSessionMessages(sessionId, { limit: 2, offset: 1 });
  console.log(messages.filter(({ type }) => type === 'user').length);
  messages.filter(({ type }) => type === 'result'); // wrong
  const { sessionId: fork } = await forkSession(sessionId, { title: 'Fork' });
  console.log(fork.length);
}
await listSessions({ limit: '5' }); // wrong
await listSessions('/'); // wrong
await getSessionMessages(); // wrong
console.log(sessions[0]?.title); // wrong
