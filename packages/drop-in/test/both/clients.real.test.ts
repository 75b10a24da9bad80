import { readFileSync } from 'node:fs';
import { text, toolUse } from '@coxswain/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { stageClients } from '../../clients/install.mjs';
import { type Answers, runClient } from './client-run.ts';

const set = 'node-20';
let places: { official: string; dropIn: string };

beforeAll(() => {
  places = stageClients(set);
});

const write = (path: string, content: string) => toolUse('Write', { file_path: path, content });

const ACP: Answers = (project) => ({
  'Say hello.': [text('Hello from the model.')],
  'Write a file.': [write(`${project}/boat.txt`, 'one'), text('As you like.')],
  'Write it now.': [write(`${project}/boat.txt`, 'one'), text('Done.')],
  'Count slowly.': [text('one two three four five six seven eight nine ten', { chunkSize: 4, everyMs: 1000 })],
  'Write another.': [write(`${project}/second.txt`, 'two'), text('Done again.')],
  'What did you say first?': [text('I said hello.')],
  'Are you back?': [text('I am back.')],
});

describe('clients from npm', () => {
  test('[U-7] the ACP adapter', async () => {
    const facts = await runClient({ place: places.official, driver: 'acp', answers: ACP, node: process.execPath });
    for (const [name, fact] of facts) console.log(name, JSON.stringify(fact).slice(0, 600));
    expect(readFileSync).toBeDefined();
  });
});
