import { appendFileSync } from 'node:fs';
import { apiError, text, toolUse } from '@coxswain/testkit';
import { allow, deny, ask, modify, context, replaceOutput, stop, defer, isSystem, type HookResult } from 'coxswain';
import { describe, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage, type Played } from './stage.ts';

const short = (o: unknown) => String(JSON.stringify(o)).slice(0, 300);
const outcomes: Record<string, (m: string) => HookResult> = {
  none: () => {},
  deny: (m) => deny(m),
  denyInt: (m) => deny(m, { interrupt: true }),
  allow: (m) => allow(),
  allowContext: (m) => allow({ context: m }),
  ask: (m) => ask(m),
  modify: (m) => modify({ a: m }),
  context: (m) => context(m),
  replaceOutput: (m) => replaceOutput(m),
  stop: (m) => stop(m),
  defer: () => defer(),
  async: () => ({ async: true, asyncTimeout: 5000 }),
};
const AGENT = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: false };
type Scene = (stage: Stage, tag: string) => Promise<Played | string>;
const scenes: Record<string, Scene> = {
  UserPromptSubmit: (s, t) => s.play([text('a' + t), text('b' + t)], { prompt: 'p' + t }),
  PostToolUse: (s, t) => s.play([toolUse('Bash', { command: 'echo OUT' + t }), text('a' + t), text('b' + t)]),
  PostToolUseFailure: (s, t) => s.play([toolUse('Read', { file_path: s.path('no' + t) }), text('a' + t), text('b' + t)]),
  PostToolBatch: (s, t) => s.play([toolUse('Bash', { command: 'echo OUT' + t }), text('a' + t), text('b' + t)]),
  PermissionRequest: async (s, t) => { const p = await s.play([toolUse('Write', { file_path: s.path('w' + t), content: 'x' }), text('a' + t), text('b' + t)]); return Object.assign(p, { extra: 'file=' + s.read('w' + t) }); },
  Stop: (s, t) => s.play([text('a' + t), text('b' + t), text('c' + t)]),
  StopFailure: (s, t) => s.play([apiError(400), text('b' + t)]),
  SubagentStart: (s, t) => s.play([toolUse('Agent', AGENT), text('a' + t)], { agent: [text('sub' + t), text('sub2' + t)] }),
  SubagentStop: (s, t) => s.play([toolUse('Agent', AGENT), text('a' + t)], { agent: [text('sub' + t), text('sub2' + t)] }),
  MessageDisplay: (s, t) => s.play([text('a' + t), text('b' + t)]),
  PreModelSwitch: async (s, t) => { await s.session.setModel(flip()).catch((e: Error) => { last = String(e); }); const e = last; last = ''; const p = await s.play([text('a' + t)]); return Object.assign(p, { extra: e + ' model=' + p.requests[0]?.model }); },
  PostModelSwitch: async (s, t) => { await s.session.setModel(flip()).catch((e: Error) => { last = String(e); }); const e = last; last = ''; const p = await s.play([text('a' + t)]); return Object.assign(p, { extra: e + ' model=' + p.requests[0]?.model }); },
  PreCompact: async (s, t) => { await s.play([text('before' + t)]); const p = await s.play([], { prompt: '/compact' }); const q = await s.play([text('after' + t)]); return Object.assign(p, { extra: 'after reqs ' + q.requests.length + ' compacted=' + !q.told('before' + t) + short(q.outcome), next: q }); },
  PostCompact: async (s, t) => { await s.play([text('before' + t)]); const p = await s.play([], { prompt: '/compact' }); const q = await s.play([text('after' + t)]); return Object.assign(p, { extra: 'compacted=' + !q.told('before' + t) + short(q.outcome), next: q }); },
  'SessionStart/compact': async (s, t) => { await s.play([text('before' + t)]); const p = await s.play([], { prompt: '/compact' }); const q = await s.play([text('after' + t)]); return Object.assign(p, { extra: 'compacted=' + !q.told('before' + t) + short(q.outcome), next: q }); },
  'SessionStart/clear': async (s, t) => { await s.play([text('before' + t)]); const p = await s.play([], { prompt: '/clear' }); const q = await s.play([text('after' + t)]); return Object.assign(p, { extra: 'cleared=' + !q.told('before' + t) + short(q.outcome), next: q }); },
  SessionEnd: async (s, t) => { await s.play([text('before' + t)]); const p = await s.play([], { prompt: '/clear' }); const q = await s.play([text('after' + t)]); return Object.assign(p, { extra: 'cleared=' + !q.told('before' + t) + short(q.outcome), next: q }); },
};
let last = '';
let flag = false;
const flip = () => { flag = !flag; return flag ? 'claude-haiku-4-5' : 'claude-sonnet-4-5'; };
describe.each(testedVersions)('%s', (version) => {
  it.concurrent.each(Object.keys(scenes))('%s', { timeout: 120_000 }, async (key) => {
    const event = key.split('/')[0]!;
    const out: string[] = [];
    let act: () => HookResult = () => {};
    let fired: unknown[] = [];
    let asked = 0;
    await using stage = await openStage(version, {
      allowedTools: ['Bash', 'Read'],
      hooks: { [event]: (input: never) => { fired.push(input); return fired.length > 1 && event === 'Stop' ? undefined : act(); } },
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
      model: 'claude-sonnet-4-5',
      canUseTool: () => { asked++; return deny('NOPERM'); },
    });
    let first = true;
    for (const [name, make] of Object.entries(outcomes)) {
      const mark = `MARK-${event}-${name}-X`;
      act = () => make(mark);
      fired = []; asked = 0;
      try {
        const p: any = await Promise.race([scenes[key]!(stage, name), new Promise((_, r) => setTimeout(() => r(new Error('HANG')), 8000))]);
        const sub = stage.api.requests.filter((r) => r.kind === 'subagent' && JSON.stringify(r.body.messages).includes(mark)).length;
        const cmp = stage.api.requests.filter((r) => r.kind === 'compaction' && JSON.stringify(r.body.messages).includes(mark)).length;
        out.push(`${version} ${key} ${name}: fired=${fired.length} reqs=${p.requests.length} asked=${asked} told=${p.told(mark)} toldNext=${p.next?.told(mark)} sub=${sub} cmp=${cmp} out=${short(p.outcome)} warn=${p.warnings.map((w: any) => w.code + ':' + short(w.context))} res=${short(p.requests[1]?.toolResults?.map((r: any) => r.text))} extra=${p.extra} tr=${p.result.terminal_reason}`);
        if (first) out.push('   INPUT ' + String(JSON.stringify(fired[0])).slice(0, 900));
        first = false;
      } catch (e) { out.push(`${version} ${key} ${name} ERR ${e} fired=${fired.length}`); await stage.session.interrupt().catch(() => {}); }
    }
    out.push('   WARN ' + short(stage.warnings.filter((w) => w.code === 'hook-input-changed').map((w) => w.context)));
    appendFileSync('/tmp/explore.txt', out.join('\n') + '\n');
  });
});
