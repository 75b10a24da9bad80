import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { SpawnedProcess } from '../../src/options/option-types.ts';
import { openRawSession } from '../../src/raw/index.ts';
import { isAlive, waitUntil } from '../support/processes.ts';

const RESULT = '{"type":"result","subtype":"success","uuid":"u","session_id":"s"}';
/** Answers the handshake and writes a result. */
const ANSWER = `read line; echo '{"type":"control_response","response":{"subtype":"success","request_id":"req_1"}}'; echo '${RESULT}';`;

/** A remote process: streams and events, but no pid and no stderr. */
function remote(): SpawnedProcess & { readonly killed: string[]; answer(): void; exit(code: number): void } {
  const events = new EventEmitter();
  const killed: string[] = [];
  const stdout = new PassThrough();
  return {
    stdin: new PassThrough(),
    stdout,
    killed,
    kill(signal = 'SIGTERM') {
      killed.push(signal);
      stdout.end();
      events.emit('exit', null, signal);
    },
    on: (name, listener) => events.on(name, listener),
    once: (name, listener) => events.once(name, listener),
    answer() {
      const response = { subtype: 'success', request_id: 'req_1', response: {} };
      stdout.write(`${JSON.stringify({ type: 'control_response', response })}\n${RESULT}\n`);
    },
    exit(code) {
      stdout.end();
      events.emit('exit', code, null);
    },
  };
}

describe('a raw process without a pid and stderr', () => {
  it('[U-8] is read to the end', async () => {
    const process = remote();
    const session = openRawSession({ argv: ['far-away'], env: {}, spawn: () => process });
    await session.started;
    process.answer();
    await session.handshake;
    expect((await session.next())?.message.type).toBe('result');
    process.exit(0);
    expect(await session.next()).toBeUndefined();
    expect(await session.ended).toMatchObject({ exit: { exitCode: 0, signal: null } });
    expect(session.pid).toBeUndefined();
  });

  it('[U-8] is ended with its own kill()', async () => {
    const process = remote();
    const session = openRawSession({ argv: ['far-away'], env: {}, spawn: () => process });
    await session.started;
    await session.close();
    expect(process.killed).toEqual(['SIGTERM']);
  });

  it('[U-8] rejects with the spawn error if it fails to start', async () => {
    const failing = (): SpawnedProcess => {
      const process = remote();
      const error = Object.assign(new Error('no route'), { code: 'ENOENT' });
      return { ...process, on: (_name, listener) => queueMicrotask(() => listener(error)) };
    };
    const session = openRawSession({ argv: ['far-away'], env: {}, spawn: failing });
    await expect(session.started).rejects.toMatchObject({ code: 'spawn', reason: 'not-found' });
    await expect(session.handshake).rejects.toMatchObject({ code: 'spawn' });
    expect(await session.ended).toMatchObject({ failure: { code: 'spawn' } });
  });
});

describe('a raw process that the caller started in its own group', () => {
  it('[U-8] is ended by its pid without waiting for an inherited stderr', async () => {
    const session = openRawSession({
      argv: ['/bin/sh', '-c', `trap '' HUP; ${ANSWER} while :; do sleep 1; done`],
      env: { PATH: process.env.PATH ?? '' },
      spawn: (command, args, { cwd, env }) => spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] }),
      limits: { graceMs: 50 },
    });
    await session.handshake;
    const { pid = 0 } = session;
    expect(isAlive(pid)).toBe(true);
    expect(await session.close()).toMatchObject({ closed: true });
    await waitUntil('the process has exited', () => !isAlive(pid));
  });
});

describe('the host of a raw session', () => {
  it('[U-8] stays alive until a failed session has ended', async () => {
    const refusal = '{"type":"control_response","response":{"subtype":"error","request_id":"req_1","error":"no"}}';
    const program = `
      import { openRawSession } from ${JSON.stringify(new URL('../../dist/raw.mjs', import.meta.url).href)};
      const session = openRawSession({
        argv: ['/bin/sh', '-c', 'trap "" TERM; read line; echo \\'${refusal}\\'; sleep 1; sleep 1'],
        env: { PATH: process.env.PATH },
        limits: { termMs: 100 },
      });
      await session.next();
      console.log((await session.ended).failure.code);
    `;
    const host = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    host.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const code = await new Promise((resolve) => host.once('close', resolve));
    expect([printed, code]).toEqual(['initialization\n', 0]);
  });
});
