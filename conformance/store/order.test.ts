import { text, toolUse } from '@coxswain/testkit';
import { memoryStore } from 'coxswain/store';
import { childTransport } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { tapped, type WireTap } from '../scenarios/wire.ts';
import { openStage } from '../session/stage.ts';

const AGENT = { description: 'a look', prompt: 'look around', subagent_type: 'general-purpose' };
const ENDLESS = 'while [ ! -e never ]; do sleep 0.05; done';

/** Mirrored entries with a uuid, and the frames that mark the start and end of a turn, in the order of the wire. */
function wireOf({ frames }: WireTap): string[] {
  return frames.flatMap(({ type, subtype, filePath, entries }) => {
    if (type === 'result') return ['result'];
    if (type === 'system' && subtype === 'init') return ['init'];
    if (type !== 'transcript_mirror' || !Array.isArray(entries)) return [];
    const whose = String(filePath).includes('/subagents/') ? 'agent' : 'main';
    return entries.flatMap((entry) => ('uuid' in Object(entry) ? [`${whose} ${Object(entry).uuid}`] : []));
  });
}

describe.concurrent.each(testedVersions)('what %s mirrors', (version) => {
  it('[G-2] precedes the result of its turn: tools, subagents, background work, an interrupt, a compaction, a clear', async () => {
    let launched = false;
    await using stage = await openStage(
      ({ lastUserText, toolResults, agentId }) => {
        if (agentId !== undefined)
          return toolResults.length > 0 ? text('seen') : toolUse('Bash', { command: 'echo sub' });
        if (toolResults.length > 0) return text('done');
        if (lastUserText.includes('tool')) return toolUse('Bash', { command: 'echo hi' });
        if (lastUserText.includes('agent')) return toolUse('Agent', { ...AGENT, run_in_background: false });
        // The note about its end repeats the prompt.
        if (lastUserText.includes('background') && !launched) {
          launched = true;
          return toolUse('Bash', { command: 'sleep 0.2; echo late', run_in_background: true });
        }
        if (lastUserText.includes('endless')) return toolUse('Bash', { command: ENDLESS });
        return text('heard');
      },
      { version },
    );
    const tap: WireTap = { frames: [], exit: undefined };
    const store = memoryStore();
    const session = await stage.start({
      sessionStore: store,
      allowedTools: ['Bash', 'Agent', 'Task'],
      transport: () => tapped(cliTransport(realCli(version)), tap),
    });
    for (const prompt of ['plain', 'a tool', 'an agent']) await session.send(prompt).result();
    await session.send('in the background').result();
    await session.idle();
    const endless = session.send('endless');
    endless.result().catch(() => {});
    await stage.runs('sleep 0.05');
    await endless.interrupt();
    await endless.result().catch(() => {});
    await session.send('/compact').result();
    await session.send('after it').result();
    await session.clear();
    await session.send('afresh').result();
    await session.close();

    const wire = wireOf(tap);
    const late: string[] = [];
    let over = false;
    for (const what of wire) {
      if (what === 'result') over = true;
      else if (what === 'init') over = false;
      else if (over) late.push(what);
    }
    expect(late).toEqual([]);
    expect(wire.filter((what) => what === 'result').length).toBeGreaterThanOrEqual(9);
    expect(wire.filter((what) => what.startsWith('agent ')).length).toBeGreaterThan(2);
    const ids = wire.filter((what) => /^(main|agent) /.test(what));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

function cliTransport(cli: string): ReturnType<typeof childTransport> {
  const transport = childTransport({ orphanGuard: false });
  const { start } = transport;
  // With a transport no CLI is located: the first argument is only a name.
  transport.start = (request) => start.call(transport, { ...request, argv: [cli, ...request.argv.slice(1)] });
  return transport;
}
