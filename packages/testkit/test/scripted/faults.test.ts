import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import type { Fault, FaultMoment } from '../../src/scripted/fault-data.ts';
import { faults } from '../../src/scripted/faults.ts';
import { script } from '../../src/scripted/script.ts';
import { kindOf } from './kind-of.ts';
import { oneShot, type Place, session, start } from './raw-run.ts';

const places: readonly Place[] = ['memory', 'process'];
const hello = { type: 'control_request', request_id: 'r1', request: { subtype: 'initialize' } };

const moments: readonly FaultMoment[] = [
  'start',
  'request:initialize',
  'prompt',
  'hook',
  'permission',
  'tool-call',
  'result',
  'input-end',
];

describe.each(places)('the output of a faulty CLI (%s)', (place) => {
  it('[K-1] ends its lines in CRLF', async () => {
    const { stdout } = await plain(place, faults.crlf());
    expect(stdout.split('\r\n')).toHaveLength(4);
    expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('[K-1] starts with one byte order mark', async () => {
    const { bytes } = await plain(place, faults.byteOrderMark());
    expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x7b]);
    expect(bytes.toString().split('\uFEFF')).toHaveLength(2);
  });

  it('[K-1] has blank lines in it', async () => {
    const { stdout } = await plain(place, faults.blankLines(2));
    expect(stdout.split('\n').filter((line) => line === '')).toHaveLength(7);
  });

  it('[K-1] arrives in pieces, cut inside characters, and is complete at the end', async () => {
    const agent = script().fault(faults.split(3));
    const run = await start(
      place,
      agent.otherwise((turn) => turn.say('Grüße 🚣')),
      oneShot,
    );
    await run.end('x');
    await run.closed;
    expect(framesOf(run.stdout()).at(-1)).toMatchObject({ result: 'Grüße 🚣' });
    if (place === 'memory') expect(Math.max(...run.chunks.map(({ length }) => length))).toBe(3);
    else expect(run.chunks.length).toBeGreaterThan(1);
  });

  it('[K-1] arrives all at once', async () => {
    const agent = script().fault(faults.merged(5_000));
    const run = await start(
      place,
      agent.otherwise((turn) => turn.say('a').wait(5).say('b').wait(5).say('c')),
      oneShot,
    );
    await run.end('x');
    await run.closed;
    expect(run.chunks).toHaveLength(1);
    expect(framesOf(run.stdout())).toHaveLength(5);
  });

  it('[K-1] arrives late', async () => {
    const startedAt = performance.now();
    const { frames } = await plain(place, faults.slow(60));
    expect(frames).toHaveLength(3);
    expect(performance.now() - startedAt).toBeGreaterThan(55);
  });

  it('[K-1] has a result without a line end, which follows later', async () => {
    const { stdout } = await plain(place, faults.noFinalNewline());
    expect(stdout.endsWith('}')).toBe(true);
    expect(framesOf(`${stdout}\n`).at(-1)?.type).toBe('result');
    const run = await start(
      place,
      script()
        .fault(faults.noFinalNewline())
        .otherwise((turn) => turn.say('ok')),
      session,
    );
    await run.write({ type: 'user', message: { role: 'user', content: 'a' } });
    await run.until('"type":"result"');
    await run.write(hello);
    await run.end();
    await run.closed;
    expect(framesOf(run.stdout()).map(({ type }) => type)).toEqual([
      'system',
      'assistant',
      'result',
      'control_response',
      'system',
    ]);
  });

  it('[K-1] contains unusual lines that a reader must accept', async () => {
    const all = {
      garbage: faults.garbage('what?'),
      nul: faults.nul(3),
      surrogates: faults.loneSurrogates(),
      deep: faults.deepNesting(2_000),
      proto: faults.protoKeys(),
      huge: faults.hugeNumbers(),
      list: faults.noMessage('list'),
      untyped: faults.noMessage('untyped'),
      unknown: faults.unknownMessage(),
    };
    const { bytes, stdout } = await plain(place, ...Object.values(all), faults.invalidUtf8());
    const lines = stdout.split('\n');
    expect(lines.slice(1, 3)).toEqual(['what?', '\0\0\0']);
    expect(JSON.parse(lines[3] ?? '').message.content[0].text).toBe('\ud83d and \udc00');
    expect(lines[4]).toContain('['.repeat(2_000));
    expect(Object.keys(JSON.parse(lines[5] ?? ''))).toContain('__proto__');
    expect(JSON.parse(lines[6] ?? '').a).toBe(Number.POSITIVE_INFINITY);
    expect(lines.slice(7, 9)).toEqual(['[1,2,3]', '{"no":"type"}']);
    expect(JSON.parse(lines[9] ?? '')).toMatchObject({ type: 'from_the_future', session_id: expect.any(String) });
    expect(bytes.includes(Buffer.from([0xff, 0xc3, 0x28]))).toBe(true);
    expect(lines.at(-2)).toContain('"type":"result"');
  });

  it('[K-1] ends in the middle of a line', async () => {
    const { stdout, code } = await plain(place, faults.partialLine('{"type":"ass'), faults.exit(3));
    expect(stdout.split('\n').at(-1)).toBe('{"type":"ass');
    expect(code).toBe(3);
  });

  it('[K-1] has unknown fields in every message', async () => {
    const agent = script().fault(faults.unknownFields({ odd: 1 }));
    const { frames } = await plainly(
      place,
      agent.otherwise((turn) => turn.say('ok')),
    );
    expect(frames.map(({ odd }) => odd)).toEqual([1, 1, 1]);
  });

  it('[K-1] includes a flood and an endless line on stderr', async () => {
    const flooded = await plain(place, faults.flood(2_000, { to: 'stderr', bytes: 100 }));
    expect(flooded.stderr.split('\n')).toHaveLength(2_001);
    expect(flooded.stderr).toHaveLength(200_000);
    const endless = await plain(place, faults.endlessLine({ to: 'stderr', bytes: 150_000 }));
    expect(endless.stderr).toBe('x'.repeat(150_000));
  });
});

describe.each(places)('the answers of a faulty CLI (%s)', (place) => {
  const answered = async (fault: Fault): Promise<string[]> => {
    const run = await start(place, script().fault(fault), session);
    await run.write(hello);
    await run.end();
    await run.closed;
    return run.stdout().split('\n').slice(0, -1);
  };

  if (place === 'memory')
    it('[K-1] are missing, duplicated, errors, garbage or of the wrong shape', async () => {
      expect(await answered(faults.answers('initialize', 'missing'))).toEqual([]);
      const twice = await answered(faults.answers('initialize', 'double'));
      expect(twice).toHaveLength(2);
      expect(twice[0]).toBe(twice[1]);
      const [error] = await answered(faults.answers('*', 'error'));
      expect(JSON.parse(error ?? '')).toMatchObject({ response: { subtype: 'error', request_id: 'r1' } });
      const [garbage] = await answered(faults.answers('initialize', 'garbage'));
      expect(garbage).toBe('control_response: success!');
      const [malformed] = await answered(faults.answers('initialize', 'malformed'));
      expect(JSON.parse(malformed ?? '')).toEqual({ type: 'control_response', response: 'well' });
    });

  it('[K-1] are late, while others are not', async () => {
    const run = await start(place, script().fault(faults.answers('initialize', 'late', 50)), session);
    await run.write(hello);
    await run.write({ type: 'control_request', request_id: 'r2', request: { subtype: 'mcp_status' } });
    await run.until('"r1"');
    expect(framesOf(run.stdout()).map(({ response }) => (response as JsonObject).request_id)).toEqual(['r2', 'r1']);
  });

  it('[K-1] include responses without a request, and unknown requests', async () => {
    const agent = script()
      .fault(faults.strayAnswer('req_99', { a: 1 }))
      .fault(faults.strayRequest({ subtype: 'dance' }, 'x'));
    const run = await start(place, agent, session);
    await run.end();
    await run.closed;
    expect(framesOf(run.stdout())).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: 'req_99', response: { a: 1 } } },
      { type: 'control_request', request_id: 'x', request: { subtype: 'dance' } },
    ]);
  });

  if (place === 'memory')
    it.each(['missing', 'double', 'late'] as const)('[K-1] results are %s', async (how) => {
      const { frames, code } = await plain(place, faults.results(how, 30));
      expect(frames.filter(({ type }) => type === 'result')).toHaveLength({ missing: 0, double: 2, late: 1 }[how]);
      expect(code).toBe(0);
    });
});

describe.each(places)('the process of a faulty CLI (%s)', (place) => {
  // The moments are the same in both; one is enough to check that a process really exits.
  it.each(place === 'memory' ? moments : (['hook'] as const))(
    '[K-1] exits, or dies, at the moment: %s',
    async (when) => {
      const leaving = await throughout(place, faults.exit(7), when);
      expect(leaving).toMatchObject({ code: 7, signal: null });
      const dying = await throughout(place, faults.crash('SIGKILL'), when);
      expect(dying).toMatchObject({ code: null, signal: 'SIGKILL' });
      expect(kinds(dying.stdout)).toEqual(kinds(leaving.stdout));
    },
  );

  if (place === 'memory')
    it('[K-1] fails only the nth time, and only in one run', async () => {
      const once = await throughout(place, faults.stderr('oh\n'), 'prompt', { nth: 2 });
      expect(once.stderr).toBe('');
      const other = await throughout(place, faults.stderr('oh\n'), 'prompt', { inRun: 2 });
      expect(other.stderr).toBe('');
      const every = await throughout(place, faults.stderr('oh\n'), 'prompt');
      expect(every.stderr).toBe('oh\n');
    });

  it('[K-1] ignores EOF and signals, and logs the signals', async () => {
    const agent = script()
      .ignore('SIGINT', 'SIGTERM', 'EOF')
      .fault(faults.stderr('ouch\n'), { when: 'signal' })
      .fault(faults.garbage('begun'));
    const run = await start(place, agent, session);
    await run.until('begun');
    for (const signal of ['interrupt', 'terminate'] as const) run.signal(signal);
    await run.write({ type: 'control_request', request_id: 'alive', request: { subtype: 'mcp_status' } });
    await run.until('alive');
    await run.until('ouch\nouch\n', 'stderr');
    await run.end();
    run.signal('kill');
    expect(await run.closed).toEqual({ code: null, signal: 'SIGKILL' });
    expect(run.stderr()).toBe('ouch\nouch\n');
  });

  it('[K-1] closes its stdin, so that writes fail', async () => {
    const run = await start(place, script().fault(faults.close('stdin')).fault(faults.garbage('closed')), session);
    await run.until('closed');
    const writing = async (): Promise<void> => {
      // The first write may still fit into the pipe.
      for (let n = 0; n < 100; n += 1) await run.write(hello);
    };
    await expect(writing()).rejects.toThrow(/EPIPE|closed|destroyed/);
    expect(run.stdout()).toBe('closed\n');
  });

  it.each(['stdout', 'stderr'] as const)('[K-1] closes its %s and keeps running', async (pipe) => {
    const agent = script()
      .fault(faults.garbage('last words'))
      .fault(faults.close(pipe))
      .otherwise((turn) => turn.stderr('still here\n').say('ok').exit(5));
    const run = await start(place, agent, oneShot);
    await run.end('x');
    expect(await run.closed).toEqual({ code: 5, signal: null });
    if (pipe === 'stdout') expect([run.stdout(), run.stderr()]).toEqual(['last words\n', 'still here\n']);
    else expect([run.stdout().includes('"ok"'), run.stderr()]).toEqual([true, '']);
  });

  it('[K-1] stops reading, so that a writer waits forever', async () => {
    const run = await start(place, script().fault(faults.deaf()).fault(faults.garbage('deaf')), session);
    await run.until('deaf');
    let written = 0;
    const writing = (async () => {
      for (;;) {
        await run.write({ type: 'keep_alive', padding: 'x'.repeat(100_000) });
        written += 1;
      }
    })().catch(() => {});
    for (let rounds = 0; rounds < 20; rounds += 1) await new Promise(setImmediate);
    expect(written).toBeLessThan(20);
    run.signal('kill');
    await run.closed;
    await Promise.race([writing, new Promise(setImmediate)]);
  });

  it('[K-1] leaves a process that keeps its pipes open', async () => {
    const agent = script().otherwise((turn) => turn.say('ok').result().fault(faults.holdPipe(300)));
    const startedAt = performance.now();
    const run = await start(place, agent, oneShot);
    await run.end('x');
    expect(await run.closed).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });
});

/** Plays one answer with faults before it. */
function plain(place: Place, ...wrong: Fault[]): ReturnType<typeof plainly> {
  const agent = script().otherwise((turn) => {
    for (const fault of wrong.filter(isStep)) turn.fault(fault);
    return turn.say('ok');
  });
  for (const fault of wrong.filter((each) => !isStep(each))) agent.fault(fault);
  return plainly(place, agent);
}

/** Whether a fault happens once; the others apply from the start. */
function isStep({ fault }: Fault): boolean {
  return !['output', 'results', 'answers', 'fields'].includes(fault);
}

async function plainly(
  place: Place,
  agent: ReturnType<typeof script>,
): Promise<{ bytes: Buffer; stdout: string; stderr: string; frames: JsonObject[]; code: number | null }> {
  const run = await start(place, agent, oneShot);
  await run.end('x');
  const { code } = await run.closed;
  const stdout = run.stdout();
  return {
    bytes: Buffer.concat(run.chunks),
    stdout,
    stderr: run.stderr(),
    code,
    get frames() {
      return framesOf(stdout);
    },
  };
}

/** A session with every moment: handshake, prompt, hook, permission, a tool of the host, result, end. */
async function throughout(
  place: Place,
  fault: Fault,
  when: FaultMoment,
  how: { nth?: number; inRun?: number } = {},
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  const agent = script()
    .fault(fault, { when, ...how })
    .otherwise((turn) =>
      turn.useTool('Write', { file_path: 'a', content: '' }).useTool('mcp__calc__add', { a: 1 }).say('ok'),
    );
  const run = await start(place, agent, [
    ...session,
    '--permission-prompt-tool',
    'stdio',
    '--allowedTools',
    'mcp__calc',
  ]);
  const hooks = { PreToolUse: [{ matcher: 'Write', hookCallbackIds: ['h'] }] };
  const initialize = { subtype: 'initialize', hooks, sdkMcpServers: ['calc'] };
  const send = (frame: unknown): Promise<void> => run.write(frame).catch(() => {});
  await send({ type: 'control_request', request_id: 'r1', request: initialize });
  await send({ type: 'user', message: { role: 'user', content: 'go' } });
  let closed = false;
  void run.closed.then(() => {
    closed = true;
  });
  const answered = new Set<unknown>();
  while (!closed && !run.stdout().includes('"type":"result"')) {
    for (const frame of framesOf(run.stdout())) {
      if (frame.type !== 'control_request' || answered.has(frame.request_id)) continue;
      answered.add(frame.request_id);
      const response = { subtype: 'success', request_id: frame.request_id, response: answerTo(frame) };
      await send({ type: 'control_response', response });
    }
    await new Promise(setImmediate);
  }
  await run.end();
  const { code, signal } = await run.closed;
  return { code, signal, stdout: run.stdout(), stderr: run.stderr() };
}

function answerTo(frame: JsonObject): JsonObject {
  const request = frame.request as { subtype: string; message?: { id?: number; method: string } };
  if (request.subtype === 'can_use_tool') return { behavior: 'allow', updatedInput: {} };
  if (request.message === undefined) return {};
  const result = request.message.method === 'tools/list' ? { tools: [{ name: 'add' }] } : { content: [] };
  return { mcp_response: { jsonrpc: '2.0', id: request.message.id ?? 0, result } };
}

function kinds(stdout: string): string[] {
  return framesOf(stdout).map(kindOf);
}

function framesOf(stdout: string): JsonObject[] {
  return stdout
    .split('\n')
    .slice(0, stdout.endsWith('\n') ? undefined : -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
