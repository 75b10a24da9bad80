// A fake Messages API for as long as its stdin is open; prints its address.
import { startFakeApi, text, toolUse } from '@coxswain/testkit';

const api = await startFakeApi({
  main: ({ body }) => {
    const prompt = JSON.stringify(Array.isArray(body.messages) ? body.messages.at(-1) : body);
    return prompt.includes('use the shell') ? toolUse('Bash', { command: 'echo row' }) : text('Aye.');
  },
});
console.log(api.url);
process.stdin.resume().on('end', () => {
  void api.close().then(() => process.exit(0));
});
