import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeName, mirroredFile } from '../../src/store/mirrored-file.ts';

const ID = '5b579b0b-c469-454c-bd94-23c9c3043ffe';

describe('a mirrored transcript', () => {
  it('[G-1] is identified by its path, with its subagent', () => {
    expect(mirroredFile(`/home/a/.claude/projects/-work/${ID}.jsonl`)).toEqual({
      configDir: '/home/a/.claude',
      project: '/home/a/.claude/projects/-work',
      sessionId: ID,
      subpath: undefined,
    });
    expect(mirroredFile(`/c/projects/projects/projects/${ID}/subagents/agent-a1.jsonl`)).toMatchObject({
      configDir: '/c/projects',
      sessionId: ID,
      subpath: 'subagents/agent-a1',
    });
    expect(mirroredFile(`C:\\Users\\a\\.claude\\projects\\C--work\\${ID}\\subagents\\agent-a1.jsonl`)).toMatchObject({
      project: 'C:\\Users\\a\\.claude\\projects\\C--work',
      subpath: 'subagents/agent-a1',
    });
  });

  it.each([`/x/${ID}.jsonl`, '/c/projects/p/notes.jsonl', `/c/projects/p/${ID}.json`, ''])(
    '[G-1] is not recognised in %j',
    (path) => expect(mirroredFile(path)).toBeUndefined(),
  );

  it('[G-5] has a safe name only if the name cannot leave its folder', () => {
    expect(['subagents/agent-a1', 'file-history/0a1b@v2', 'a.b/c~1'].every(isSafeName)).toBe(true);
    expect(['..', 'a/../b', './a', '/a', 'a/', 'a//b', 'a\\b', 'a\0', '', '...'].some(isSafeName)).toBe(false);
  });

  it('[G-3] has entries that parsing and serialising do not change', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const written = JSON.stringify(JSON.parse(text));
        expect(JSON.stringify(JSON.parse(written))).toBe(written);
      }),
    );
  });
});
