import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromTranscript } from '../../src/scenario/from-transcript.ts';
import { readScenario, writeScenario } from '../../src/scenario/read-scenario.ts';
import { callsOf } from '../../src/scenario/scenario.ts';
import { aScenario, step } from '../a-scenario.ts';
import { assistant, call, inFile, result, transcript, user } from './transcript-lines.ts';

describe('fromTranscript()', () => {
  it('[N-1] reads prompts with images, replies of several lines, parallel calls and their results', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    const path = await transcript([
      user([{ type: 'text', text: 'Look.' }, image]),
      assistant('m1', { type: 'thinking', thinking: 'Hm.', signature: 's' }),
      assistant('m1', { type: 'text', text: 'Two calls.' }),
      assistant('m1', call('t1', 'Bash', { command: 'ls' })),
      assistant('m1', call('t2', 'Read', { file_path: '/home/ann/boats/a.txt' })),
      result('t1', 'a.txt', {}, { permissionDecision: { decision: 'accept', source: 'config' } }),
      result(
        't2',
        '1\tone',
        {},
        { toolUseResult: { file: { filePath: '/home/ann/boats/a.txt', content: 'one\n', startLine: 1 } } },
      ),
      assistant('m2', { type: 'text', text: 'Done.' }),
      user('And again.'),
      assistant('m3', { type: 'text', text: 'Bye.' }),
    ]);
    const scenario = await fromTranscript(path);
    expect(scenario).toMatchObject({ release: '2.1.325', cwd: '/home/ann/boats', home: '/home/ann', gaps: [] });
    expect(
      scenario.turns.map(({ prompt, replies }) => [
        prompt.map(({ type }) => type),
        replies.map((reply) => reply.map(({ type }) => type)),
      ]),
    ).toEqual([
      [
        ['text', 'image'],
        [['thinking', 'text', 'tool_use', 'tool_use'], ['text']],
      ],
      [['text'], [['text']]],
    ]);
    expect(scenario.results).toMatchObject({
      t1: { outcome: 'ran', how: 'rule', text: 'a.txt' },
      t2: { outcome: 'ran' },
    });
    expect(scenario.files).toEqual({ '/home/ann/boats/a.txt': 'one\n' });
  });

  it('[N-1] distinguishes calls that ran, were refused, were invalid, and had no tool', async () => {
    const results = [
      ['Exit code 1\nno', 'ran'],
      ['Permission to use Bash with command rm -rf build has been denied.', 'refused'],
      ['The reason of a hook.', 'refused'],
      ['<tool_use_error>InputValidationError: x</tool_use_error>', 'invalid'],
      ['<tool_use_error>Error: No such tool available: Bash</tool_use_error>', 'missing'],
    ] as const;
    const path = await transcript([
      user('Go.'),
      ...results.flatMap(([text], index) => [
        assistant(`m${index}`, call(`t${index}`, 'Bash', { command: 'x' })),
        result(`t${index}`, text, { is_error: true }),
      ]),
    ]);
    const scenario = await fromTranscript(path);
    expect(Object.values(scenario.results).map(({ outcome }) => outcome)).toEqual(
      results.map(([, outcome]) => outcome),
    );
  });

  it('[N-5] lists what cannot be rehearsed', async () => {
    const path = await transcript([
      user('<command-name>/compact</command-name>'),
      user('Go.'),
      { type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'Faster!' } },
      assistant(
        'm1',
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'text', text: 'Hm.' },
      ),
      { ...assistant('m2', { type: 'text', text: 'API Error' }), isApiErrorMessage: true },
      user('[Request interrupted by user]'),
      user('The summary.', { isCompactSummary: true }),
      user([
        { type: 'document', source: {} },
        { type: 'text', text: 'Read this.' },
      ]),
      assistant('m3', { type: 'text', text: 'Read.' }),
    ]);
    const { gaps, turns } = await fromTranscript(path);
    expect(gaps.map(({ what }) => what)).toEqual([
      'a command typed by a person',
      'a prompt that joined a running turn',
      'a block of the type server_tool_use in a reply',
      'a message that the CLI wrote itself, such as an API error',
      'an interrupt',
      'a compaction: the conversation is rehearsed in full',
      'a block of the type document in a prompt',
    ]);
    expect(turns).toHaveLength(2);
  });

  it('[N-6] refuses links, folders, files without a conversation, and conversations with too many calls', async () => {
    const path = await transcript([user('Go.'), assistant('m', call('a', 'Bash', {}), call('b', 'Bash', {}))]);
    const link = join(dirname(path), 'link.jsonl');
    await symlink(path, link);
    await expect(fromTranscript(link)).rejects.toMatchObject({ name: 'RehearsalError', problem: 'unreadable' });
    await expect(fromTranscript(dirname(path))).rejects.toMatchObject({ problem: 'unreadable' });
    await expect(fromTranscript(join(dirname(path), 'none.jsonl'))).rejects.toMatchObject({ problem: 'unreadable' });
    await expect(fromTranscript(await inFile('x.jsonl', 'hello\n{"type":"user"}\n'))).rejects.toMatchObject({
      problem: 'unreadable',
    });
    await expect(fromTranscript(path, { maxCalls: 1 })).rejects.toMatchObject({ problem: 'too-large' });
  });

  it('[N-6] reads hostile transcripts: cycles, repeated ids, odd ids, deep inputs, broken lines', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
    const path = await transcript([
      user('Go.'),
      assistant('m1', call('same', 'Bash', { command: 'one' })),
      result('same', 'first'),
      assistant('m2', call('same', 'Bash', { command: 'two' }), call('../../etc/passwd', 'Odd', deep)),
      result('same', 'second'),
      result('never-called', 'x'),
    ]);
    const text = await readFile(path, 'utf8');
    const last = JSON.parse(text.trim().split('\n').at(-1) ?? '');
    const first = JSON.parse(text.split('\n')[0] ?? '');
    await writeFile(path, `{"broken\n${text}${JSON.stringify({ ...first, parentUuid: last.uuid })}\n`);
    const scenario = await fromTranscript(path);
    const ids = callsOf(scenario).map(({ call: { id } }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^[\w-]+$/.test(id))).toBe(true);
    expect(
      Object.values(scenario.results)
        .map(({ text: said }) => said)
        .sort(),
    ).toEqual(['first', 'second']);
    expect(scenario.gaps).toEqual([{ what: 'a tool result without its call' }]);
  });

  it('[N-6] reads a transcript of 60 MB whose records of API requests are most of it', async () => {
    const path = await transcript([user('Go.'), assistant('m', { type: 'text', text: 'Hi.' })]);
    const record = `${JSON.stringify({ type: 'api-request-blob', message: 'x'.repeat(1_000_000) })}\n`;
    await writeFile(path, record.repeat(60) + (await readFile(path, 'utf8')));
    expect((await fromTranscript(path)).turns).toHaveLength(1);
  });

  it('[N-1] reads the transcripts of subagents', async () => {
    const path = await transcript([
      user('Go.'),
      assistant('m', call('t', 'Agent', { prompt: 'Count.' })),
      result('t', 'One.'),
    ]);
    const folder = join(path.replace(/\.jsonl$/, ''), 'subagents');
    await mkdir(folder, { recursive: true });
    const agent = await transcript([
      user('Count.'),
      assistant('a', call('u', 'Bash', { command: 'ls' })),
      result('u', 'a'),
    ]);
    await writeFile(
      join(folder, 'agent-a1.jsonl'),
      (await readFile(agent, 'utf8')).replaceAll('"isSidechain":false', '"isSidechain":true'),
    );
    const { agents, results } = await fromTranscript(path);
    expect(agents).toMatchObject([{ prompt: 'Count.' }]);
    expect(Object.keys(results).sort()).toEqual(['t', 'u']);
  });
});

const bash = (id: string): object => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });

describe('readScenario()', () => {
  it('[N-1] reads what writeScenario() wrote', async () => {
    const scenario = aScenario([[step('Bash', { command: 'ls' })]]);
    const path = await inFile('kept.json', '');
    await writeScenario(path, scenario);
    expect(await readScenario(path)).toEqual(scenario);
  });

  it('[N-6] refuses unknown fields and unknown blocks', async () => {
    await expect(readScenario(await inFile('a.json', '{"turns":[],"turn":1}'))).rejects.toThrow(
      /turn .*not a known field/,
    );
    const odd = { turns: [{ prompt: [{ type: 'video' }], replies: [] }] };
    await expect(readScenario(await inFile('b.json', JSON.stringify(odd)))).rejects.toThrow(
      /turns\[0\] has an unknown block/,
    );
    await expect(readScenario(await inFile('c.json', 'no'))).rejects.toThrow(/is not JSON/);
  });

  it.each([
    ['a reply that is not a list', { turns: [{ prompt: [], replies: [5] }] }, /turns\[0\] must have a prompt/],
    ['a block that is null', { turns: [{ prompt: [], replies: [[null]] }] }, /unknown block: null/],
    ['an unknown field of a turn', { turns: [{ prompt: [], replies: [], text: 'x' }] }, /unknown field text/],
    ['an agent without a prompt', { turns: [], agents: [{ replies: [] }] }, /agents\[0\] must have a prompt/],
    ['a result without an outcome', { turns: [], results: { a: {} } }, /results\.a is not a result/],
    ['a result that is null', { turns: [], results: { a: null } }, /results\.a is not a result/],
    ['a result with an unknown field', { turns: [], results: { a: { outcome: 'ran', txt: '' } } }, /results\.a/],
    ['a file that is no text', { turns: [], files: { a: 5 } }, /files\.a must be text/],
    ['a gap without a reason', { turns: [], gaps: [1] }, /gaps\[0\] is not a gap/],
    ['repeated ids', { turns: [{ prompt: [], replies: [[bash('a')], [bash('a')]] }] }, /two calls have the id a/],
    ['an id of every object', { turns: [{ prompt: [], replies: [[bash('toString')]] }] }, /unknown block/],
    [
      'too many calls',
      { turns: [{ prompt: [], replies: [Array.from({ length: 2_001 }, (_, n) => bash(`a${n}`))] }] },
      /2001/,
    ],
  ])('[N-6] refuses %s', async (_what, scenario, problem) => {
    await expect(readScenario(await inFile('d.json', JSON.stringify(scenario)))).rejects.toThrow(problem);
  });

  it('[N-1] adds the defaults of what a person left out', async () => {
    const written = { turns: [], results: { a: { outcome: 'ran' }, b: { outcome: 'refused', text: 'No.' } } };
    expect((await readScenario(await inFile('e.json', JSON.stringify(written)))).results).toEqual({
      a: { outcome: 'ran', text: '', isError: false },
      b: { outcome: 'refused', text: 'No.', isError: true },
    });
  });
});
