// 100,000 messages of about 0.9 KB: bare Node (the limit), the same again (the control), and Coxswain's `for await`.
import { spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'coxswain';
import { interleave, printRows } from './interleave.mjs';

const MESSAGES = 100_000;
const ROUNDS = Number(process.env.ROUNDS ?? 15);

const folder = mkdtempSync(join(tmpdir(), 'cox-bench-'));
const stub = join(folder, 'claude');
writeMessages(join(folder, 'messages.ndjson'));
writeFileSync(stub, `#!/bin/sh\nexec cat '${folder}/messages.ndjson'\n`);
chmodSync(stub, 0o755);

try {
  const rows = await interleave({ bare, 'bare again (control)': bare, 'coxswain query()': coxswain }, { rounds: ROUNDS });
  printRows(`${MESSAGES} messages of 0.9 KB, median of ${ROUNDS} paired rounds`, rows);
  const control = rows[1].ratio;
  if (control < 0.95 || control > 1.05) {
    console.log(`  void: the control is ${control.toFixed(3)}; the machine is not idle enough`);
    process.exitCode = 2;
  }
} finally {
  rmSync(folder, { recursive: true });
}

function bare() {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(stub, [], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.on('error', reject);
    child.stdin.end('go');
    child.stderr.resume();
    child.stdout.setEncoding('utf8');
    let rest = '';
    let seen = 0;
    child.stdout.on('data', (text) => {
      const all = rest + text;
      let from = 0;
      for (let end = all.indexOf('\n'); end !== -1; end = all.indexOf('\n', from)) {
        const message = JSON.parse(all.slice(from, end));
        if (message.type === 'assistant') seen++;
        from = end + 1;
      }
      rest = all.slice(from);
    });
    child.on('close', () => finish(start, seen, resolve, reject));
  });
}

async function coxswain() {
  const start = performance.now();
  let seen = 0;
  const stream = query('go', { cli: stub, skipVersionCheck: true, orphanGuard: false });
  for await (const message of stream) if (message.type === 'assistant') seen++;
  return new Promise((resolve, reject) => finish(start, seen, resolve, reject));
}

function finish(start, seen, resolve, reject) {
  if (seen === MESSAGES) resolve(performance.now() - start);
  else reject(new Error(`${seen} messages instead of ${MESSAGES}`));
}

function writeMessages(path) {
  const file = openSync(path, 'w');
  for (let i = 0; i < MESSAGES; i += 1_000) {
    writeSync(file, Array.from({ length: 1_000 }, (_, k) => `${JSON.stringify(assistant(i + k))}\n`).join(''));
  }
  writeSync(file, `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done' })}\n`);
  closeSync(file);
}

function assistant(n) {
  return {
    type: 'assistant',
    message: {
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: 'lorem ipsum dolor sit amet '.repeat(15) + n }],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
    parent_tool_use_id: null,
    session_id: '42a4f786-7a4a-4e25-b694-f1082c917f1f',
    uuid: `53c439a6-27f2-4b65-a35e-${String(n).padStart(12, '0')}`,
    timestamp: '2026-11-15T02:39:40.719Z',
  };
}
