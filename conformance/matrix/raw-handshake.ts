import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Bench } from './bench.ts';

/** Does the handshake without the SDK, which sends flags that came later. @throws Error unless it succeeds */
export async function shakeHands(bench: Bench): Promise<void> {
  const command = bench.cli.endsWith('.js') ? [process.execPath, bench.cli] : [bench.cli];
  const args = ['--print', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const child = spawn(command[0] ?? '', [...command.slice(1), ...args], {
    cwd: bench.home.project,
    env: bench.home.env(),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  child.stdin.on('error', () => {});
  child.on('error', () => {});
  child.stdin.write(
    `${JSON.stringify({ type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } })}\n`,
  );
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const frame = JSON.parse(line);
      if (frame.type !== 'control_response') continue;
      if (frame.response?.subtype === 'success' && frame.response.request_id === 'req_1') return;
      throw new Error(`initialize was refused: ${JSON.stringify(frame.response)}`);
    }
  } finally {
    child.kill('SIGKILL');
  }
  throw new Error(`initialize was not answered: ${said.trim().slice(0, 300) || 'no output'}`);
}
