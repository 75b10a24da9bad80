import { spawn } from 'node:child_process';

/** The limit for a one-shot run: spawn, split, `JSON.parse`. Gives the number of assistant messages. */
export function bareOneShot(cli, env) {
  return new Promise((resolve, reject) => {
    let seen = 0;
    const child = start(cli, ['--print'], env, (message) => {
      if (message.type === 'assistant') seen++;
    });
    child.on('error', reject);
    child.on('close', () => resolve(seen));
    child.stdin.end('go');
  });
}

/** The limit for a session: one prompt, hooks answered right in the data handler. Gives the counts of both. */
export function bareSession(cli, env) {
  return new Promise((resolve, reject) => {
    const seen = { messages: 0, hooks: 0 };
    const child = start(cli, ['--input-format', 'stream-json'], env, (message) => {
      if (message.type === 'assistant') seen.messages++;
      else if (message.type === 'control_request') {
        seen.hooks++;
        send({
          type: 'control_response',
          response: { subtype: 'success', request_id: message.request_id, response: {} },
        });
      } else if (message.type === 'control_response') {
        send({ type: 'user', message: { role: 'user', content: 'go' } });
      } else if (message.type === 'result') child.stdin.end();
    });
    const send = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
    child.on('error', reject);
    child.on('close', () => resolve(seen));
    send({ type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } });
  });
}

function start(cli, args, env, onMessage) {
  const child = spawn(cli, args, { env: { ...process.env, ...env } });
  child.stderr.resume();
  child.stdout.setEncoding('utf8');
  let rest = '';
  child.stdout.on('data', (text) => {
    const all = rest + text;
    let from = 0;
    for (let end = all.indexOf('\n'); end !== -1; end = all.indexOf('\n', from)) {
      onMessage(JSON.parse(all.slice(from, end)));
      from = end + 1;
    }
    rest = all.slice(from);
  });
  return child;
}
