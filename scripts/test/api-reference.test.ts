import * as rehearsal from '@coxswain/rehearsal';
import * as testkit from '@coxswain/testkit';
import * as coxswain from 'coxswain';
import * as cli from 'coxswain/cli';
import * as errors from 'coxswain/errors';
import * as mcp from 'coxswain/mcp';
import * as observe from 'coxswain/observe';
import * as raw from 'coxswain/raw';
import * as store from 'coxswain/store';
import * as transcripts from 'coxswain/transcripts';
import * as transport from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { apiPages } from '../docs/api.mjs';
import { anchorsIn, linksIn } from '../docs/links.mjs';

describe('the API reference', () => {
  const pages = apiPages();
  const textOf = (group: string): string =>
    pages
      .filter((page) => page.group === group)
      .map(({ text }) => text)
      .join('\n');

  it.each([
    ['coxswain', coxswain],
    ['coxswain/observe', observe],
    ['coxswain/raw', raw],
    ['coxswain/mcp', mcp],
    ['coxswain/store', store],
    ['coxswain/transcripts', transcripts],
    ['coxswain/cli', cli],
    ['coxswain/transport', transport],
    ['coxswain/errors', errors],
    ['@coxswain/testkit', testkit],
    ['@coxswain/rehearsal', rehearsal],
  ])('contains everything that %s exports', (group, exports) => {
    const text = textOf(group);
    expect(Object.keys(exports).filter((name) => !text.includes(`\n## ${name}\n`))).toEqual([]);
  });

  it('contains types with their comments and members, and the errors that a function throws', () => {
    const text = textOf('coxswain');
    expect(text).toContain('\n## QueryStream\n\nThe stream of a query.\n\n```ts\ninterface QueryStream<T = unknown>');
    expect(text).toContain('type RunEvent = EventHead & EventBody;');
    expect(text).toContain('\n### EventBody\n');
    expect(textOf('coxswain/transcripts')).toContain('Throws: OptionsError, SessionNotFoundError, SessionFileError');
    expect(text).not.toMatch(/#private;|^export /m);
  });

  it('has no dead links', () => {
    const anchors = new Map(pages.map(({ path, text }) => [path, anchorsIn(text)]));
    const dead = pages.flatMap(({ text }) =>
      linksIn(text).filter((link) => {
        const [path = '', anchor] = link.split('#');
        return anchor === undefined ? !anchors.has(path) : !anchors.get(path)?.includes(anchor);
      }),
    );
    expect(dead).toEqual([]);
  });
});
