import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSession } from 'coxswain';
import { PINNED_VERSION } from 'coxswain/cli';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { type Script, script } from '../../src/scripted/script.ts';
import { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from '../../src/scripted/scripted-cli.ts';
import { kindOf } from './kind-of.ts';

const oneShot = ['--print', '--output-format', 'stream-json', '--verbose'];
const session = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const ok = script().otherwise((turn) => turn.say('ok'));

describe('the executable of a scripted CLI', () => {
  it('[K-1] is a file that can be run like the real CLI', async () => {
    const run = await runOf(ok, oneShot, 'hello');
    expect(run.frames.map(kindOf)).toEqual(['system init', 'assistant text', 'result success']);
    expect(run).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('[K-1] needs no environment variables', async () => {
    const { path } = await cliOf(ok);
    const run = await outputOf(spawn(path, oneShot, { env: {} }), 'hello');
    expect(run.frames.at(-1)?.result).toBe('ok');
  });

  it('[K-1] prints its version like the real CLI, or as scripted', async () => {
    const versionOf = async (agent: Script): Promise<unknown> => {
      const { stdout, code } = await runOf(agent, ['--version'], '');
      return [stdout.toString(), code];
    };
    expect(await versionOf(script())).toEqual([`${PINNED_VERSION} (Claude Code)\n`, 0]);
    expect(await versionOf(script().version('1.0.9'))).toEqual(['1.0.9 (Claude Code)\n', 0]);
    expect(await versionOf(script().versionOutput('huh?', { exitCode: 3 }))).toEqual(['huh?', 3]);
  });

  it('[C-10, K-1] takes the MCP servers of a session from the handshake; one that ignores them cannot be used', async () => {
    const options = { mcpServers: { files: { command: 'x', env: { TOKEN: 'secret' } } }, orphanGuard: false };
    const started = async (agent: Script): Promise<readonly string[]> => {
      const cli = await cliOf(agent);
      // In a package of the CLI, the release is known before the start.
      const root = join(dirname(cli.path), '@anthropic-ai/claude-code');
      await mkdir(root, { recursive: true });
      const { version } = agent.toJSON().cli;
      await writeFile(join(root, 'package.json'), JSON.stringify({ version }));
      await writeFile(join(root, 'claude'), `#!/bin/sh\nexec '${cli.path}' "$@"\n`, { mode: 0o755 });
      await using session = openSession({ cli: join(root, 'claude'), ...options });
      await session.ready;
      const [run] = await cli.runs();
      return run?.argv ?? [];
    };
    expect(await started(script())).toContain('--await-initialize');
    expect(await started(script().version('2.1.325'))).toContain('--mcp-config');
    await expect(started(script().initializeWith({ mcp_servers_applied: false }))).rejects.toMatchObject({
      code: 'unsupported-option',
      option: 'mcpServers',
    });
  });

  it('[K-1] logs the arguments and the input of each run', async () => {
    const agent = script().otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('ok').exit(3));
    const cli = await cliOf(agent);
    const env = { TOP: 'secret' };
    const child = spawn(cli.path, [...oneShot, '--unheard-of', 'x'], { env });
    await outputOf(child, 'hello');
    expect(await cli.runs()).toEqual([
      {
        argv: [...oneShot, '--unheard-of', 'x'],
        cwd: process.cwd(),
        pid: child.pid,
        envNames: ['TOP'],
        prompts: ['hello'],
        frames: [],
        tools: [{ name: 'Bash', input: { command: 'ls' }, outcome: 'ran' }],
        elicitations: [],
        contexts: [],
        exit: { code: 3, signal: null },
      },
    ]);
  });

  it('[K-1] records the values of the environment only on request', async () => {
    const cli = await cliOf(ok, { recordEnv: true });
    await outputOf(spawn(cli.path, oneShot, { env: { TOP: 'secret' } }), 'hello');
    expect((await cli.runs())[0]?.env).toEqual({ TOP: 'secret' });
  });

  it('[K-1] is deleted when it is disposed of', async () => {
    const cli = await scriptedCli(ok);
    expect(existsSync(cli.path)).toBe(true);
    await cli[Symbol.asyncDispose]();
    expect(existsSync(cli.path)).toBe(false);
  });

  it('[K-1] serves a session: handshake, hook, prompt, control request, end of input', async () => {
    const agent = script().otherwise((turn) => turn.useTool('Bash', { command: 'echo hi' }).say('ok'));
    const cli = await cliOf(agent);
    const host = new Host(spawn(cli.path, session));
    const hooks = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] };
    host.send({ type: 'control_request', request_id: 'hello', request: { subtype: 'initialize', hooks } });
    host.send({ type: 'user', message: { role: 'user', content: 'go' } });
    const asked = await host.until((frame) => frame.type === 'control_request');
    const denied = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'NO' };
    const response = { subtype: 'success', request_id: asked.request_id, response: { hookSpecificOutput: denied } };
    host.send({ type: 'control_response', response });
    const result = await host.until((frame) => frame.type === 'result');
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    host.child.stdin.end();
    expect(await once(host.child, 'close')).toEqual([0, null]);
    expect((await cli.runs())[0]?.tools).toMatchObject([{ name: 'Bash', outcome: 'refused' }]);
  });
});

describe('a scripted CLI that misbehaves', () => {
  it('[K-1] exits without a result, with stderr and an exit code', async () => {
    const agent = script().otherwise((turn) => turn.say('…').stderr('fatal: no\n').exit(9));
    const run = await runOf(agent, oneShot, 'x');
    expect(run.frames.map(kindOf)).toEqual(['system init', 'assistant text']);
    expect(run).toMatchObject({ stderr: 'fatal: no\n', code: 9 });
  });

  it('[K-1] crashes before it reads any input', async () => {
    const run = await runOf(
      script().atStart((turn) => turn.stderr('cannot start\n').exit(127)),
      oneShot,
      'x',
    );
    expect(run).toMatchObject({ stderr: 'cannot start\n', code: 127 });
    expect(run.stdout).toHaveLength(0);
  });

  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'] as const)(
    '[K-1] dies of %s after its output was written',
    async (signal) => {
      const run = await runOf(
        script().otherwise((turn) => turn.say('last words').crash({ signal })),
        oneShot,
        'x',
      );
      expect(run.frames.map(kindOf)).toEqual(['system init', 'assistant text']);
      expect(run).toMatchObject({ code: null, signal });
    },
  );

  it('[K-1] writes lines and bytes exactly as given', async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x0a, 0x00);
    const agent = script().atStart((turn) => turn.line('not json').bytes(bytes).unfinishedLine('{"type":').exit(0));
    const { stdout } = await runOf(agent, oneShot, 'x');
    expect(stdout).toEqual(Buffer.concat([Buffer.from('not json\n'), bytes, Buffer.from('{"type":')]));
  });

  it('[K-1] floods with the requested number of messages, of about the requested size, in order', async () => {
    const { frames, stdout } = await runOf(
      script().otherwise((turn) => turn.flood(20_000, 500)),
      oneShot,
      'x',
    );
    const flood = frames.filter(({ message }) => (message as { id?: string } | undefined)?.id === 'msg_flood');
    expect(flood).toHaveLength(20_000);
    expect(JSON.stringify(flood[19_999])).toContain('"text":"00019999 ');
    expect(stdout.length / 20_000).toBeGreaterThan(480);
    expect(stdout.length / 20_000).toBeLessThan(520);
    expect(frames.at(-1)?.type).toBe('result');
  });

  it('[K-1] writes a line that never ends, and still handles signals while it is not read', async () => {
    const { path } = await cliOf(script().otherwise((turn) => turn.endlessLine()));
    const child = spawn(path, oneShot);
    const exited = once(child, 'exit');
    child.stdin.end('x');
    let bytes = 0;
    child.stdout.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes < 2_000_000) return;
      child.stdout.pause();
      child.kill('SIGTERM');
    });
    expect(await exited).toEqual([143, null]);
    child.stdout.destroy();
  });

  it('[K-1] ends a long line at the scripted point, as one whole message', async () => {
    const agent = script().otherwise((turn) => turn.endlessLine(300_000).unfinishedLine('"}}\n'));
    const { frames } = await runOf(agent, oneShot, 'x');
    expect(JSON.stringify(frames[1]).length).toBeGreaterThan(300_000);
  });

  it('[K-1] ignores SIGINT and SIGTERM', async () => {
    const { path } = await cliOf(script().ignore('SIGINT', 'SIGTERM'));
    const host = new Host(spawn(path, session));
    const ping = async (id: string): Promise<unknown> => {
      host.send({ type: 'control_request', request_id: id, request: { subtype: 'ping' } });
      return (await host.until((frame) => frame.type === 'control_response')).response;
    };
    await ping('first');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      host.child.kill(signal);
      expect(await ping(signal)).toMatchObject({ request_id: signal });
    }
    host.child.kill('SIGKILL');
    expect(await once(host.child, 'close')).toEqual([null, 'SIGKILL']);
  });

  it('[K-1] exits with 0 on SIGINT and 143 on SIGTERM, without a result', async () => {
    for (const [signal, code] of [
      ['SIGINT', 0],
      ['SIGTERM', 143],
    ] as const) {
      const { path } = await cliOf(script().otherwise((turn) => turn.say('…').silence()));
      const host = new Host(spawn(path, oneShot));
      host.child.stdin.end('x');
      await host.until((frame) => frame.type === 'assistant');
      host.child.kill(signal);
      expect(await once(host.child, 'close')).toEqual([code, null]);
      expect(host.frames.map(({ type }) => type)).not.toContain('result');
    }
  });

  it('[K-1] leaves a process that holds the pipe', async () => {
    const { path } = await cliOf(script().otherwise((turn) => turn.say('ok').result().holdPipe(400)));
    const child = spawn(path, oneShot);
    child.stdin.end('x');
    child.stdout.resume();
    const closed = once(child, 'close').then(() => performance.now());
    await once(child, 'exit');
    const exitedAt = performance.now();
    expect((await closed) - exitedAt).toBeGreaterThan(100);
  });

  it('[K-1] closes stdout and keeps running', async () => {
    const { path } = await cliOf(script().otherwise((turn) => turn.say('ok').closeStdout().silence()));
    const child = spawn(path, oneShot);
    child.stdin.end('x');
    child.stdout.resume();
    await once(child.stdout, 'end');
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('[K-1] survives a reader that stops', async () => {
    const { path } = await cliOf(script().otherwise((turn) => turn.say('ok').flood(5_000, 1_000).exit(4)));
    const child = spawn(path, oneShot);
    child.stdin.end('x');
    await once(child.stdout, 'readable');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([4, null]);
  });
});

/** The host's side of a running CLI. */
class Host {
  readonly child: ChildProcessWithoutNullStreams;
  readonly frames: JsonObject[] = [];
  #seen = 0;
  #buffered = '';

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#buffered + text).split('\n');
      this.#buffered = lines.pop() ?? '';
      this.frames.push(...lines.map((line) => JSON.parse(line)));
    });
  }

  send(frame: unknown): void {
    this.child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** The next matching frame. */
  async until(fits: (frame: JsonObject) => boolean): Promise<JsonObject> {
    for (;;) {
      const at = this.frames.findIndex((frame, index) => index >= this.#seen && fits(frame));
      const found = this.frames[at];
      if (found) {
        this.#seen = at + 1;
        return found;
      }
      await once(this.child.stdout, 'data', { signal: AbortSignal.timeout(10_000) });
    }
  }
}

async function cliOf(agent: Script, options?: ScriptedCliOptions): Promise<ScriptedCli> {
  const cli = await scriptedCli(agent, options);
  onTestFinished(() => cli[Symbol.asyncDispose]());
  return cli;
}

async function runOf(agent: Script, argv: readonly string[], input: string): Promise<Output> {
  const { path } = await cliOf(agent);
  return outputOf(spawn(path, argv), input);
}

interface Output {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly frames: JsonObject[];
}

async function outputOf(child: ChildProcessWithoutNullStreams, input: string): Promise<Output> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk) => out.push(chunk));
  child.stderr.on('data', (chunk) => err.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  const stdout = Buffer.concat(out);
  return {
    stdout,
    stderr: Buffer.concat(err).toString(),
    code,
    signal,
    get frames() {
      return stdout
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
}
