import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsText } from '../../src/page/needs/terms-text.ts';
import {
  age,
  bytes,
  count,
  dateTime,
  duration,
  modelName,
  plural,
  roughUsd,
  spent,
  usd,
} from '../../src/page/text/format.ts';
import { MarkdownText } from '../../src/page/text/markdown-text.ts';
import { onOneLine, visible, withoutGaps } from '../../src/page/text/visible.ts';

describe('visible', () => {
  it('[I-4] replaces every character that hides or reorders text', () => {
    const hidden = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hidden.test(visible(text).replace(/[\n\t]/g, ''))).toBe(false);
      }),
    );
  });

  it('[I-4, I-11] shows a character without a shape at the end of a command', () => {
    const unseen = ['\u034f', '\u115f', '\u206a', '\u2800', '\u3164', '\ufe00', '\uffa0', '\u{1d173}', '\u{e0100}'];
    for (const character of unseen) expect(visible(`rm build${character}`)).toMatch(/^rm build⟦U\+[\dA-F]{4,5}⟧$/);
    expect(visible('☀️ 한글')).toBe('☀️ 한글');
  });

  it('[I-4, I-11] shows joiners and variation selectors where no script and no emoji needs them', () => {
    expect(visible('ma\u200din \u200c/ \u200d\u200c')).toBe('ma⟦U+200D⟧in ⟦U+200C⟧/ ⟦U+200D⟧⟦U+200C⟧');
    expect(visible('rm a\ufe0f é\ufe0f')).toBe('rm a⟦U+FE0F⟧ é⟦U+FE0F⟧');
    for (const text of ['1\ufe0f\u20e3', '👁️‍🗨️', '❤️‍🔥', '⚠️', 'क्‍ष']) expect(visible(text)).toBe(text);
  });

  it('[I-4] keeps ordinary text of all scripts, and the joiners that it needs', () => {
    for (const text of ['a\tb\nc', 'حدّث صفحة', 'می‌خواهم', '👩‍🚀 rows', '']) expect(visible(text)).toBe(text);
    expect(visible('a\r\nb\rc')).toBe('a\nb␍c');
  });
});

describe('onOneLine', () => {
  it('[I-4] shows a line break in a path', () => {
    expect(onOneLine('/srv/ok.txt\n/etc/cron.d/x')).toBe('/srv/ok.txt␊/etc/cron.d/x');
  });
});

describe('withoutGaps', () => {
  it('[I-4] marks blanks that could push the rest of a command out of view', () => {
    expect(withoutGaps(`echo${' '.repeat(3_000)}; rm -rf /`)).toBe('echo ⟦3000 blanks⟧ ; rm -rf /');
    expect(withoutGaps(`echo${'\u2003\t'.repeat(30)}; rm -rf /`)).toBe('echo ⟦60 blanks⟧ ; rm -rf /');
    expect(withoutGaps(`echo${'\n'.repeat(500)}rm -rf /`)).toBe('echo\n⟦499 empty lines⟧\nrm -rf /');
    const code = 'if (a) {\n\n\t\t\tb();\n}\n';
    expect(withoutGaps(code)).toBe(code);
  });
});

describe('Markdown that grows', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '# Head\n\n',
      'text ',
      '**bold** ',
      '\n\n',
      '- item\n',
      '```ts\ncode\n```\n',
      '| a | b |\n| - | - |\n| 1 | 2 |\n',
      '> quote\n',
      '1. one\n',
      '`x` ',
      '<b>html</b> ',
    ),
    { maxLength: 30 },
  );

  it('is parsed like the whole text, wherever it is split', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const growing = new MarkdownText();
        let text = '';
        for (const part of parts) {
          text += part;
          growing.blocks(text);
        }
        const raw = (of: MarkdownText): string =>
          of
            .blocks(text)
            .map((token) => token.raw)
            .join('');
        expect(raw(growing)).toBe(raw(new MarkdownText()));
      }),
      { numRuns: 100 },
    );
  });

  it('starts over when the text was replaced', () => {
    const text = new MarkdownText();
    text.blocks('first\n\nsecond');
    expect(text.blocks('other').map((token) => token.raw)).toEqual(['other']);
  });
});

describe('formats', () => {
  it('writes numbers short enough for a row', () => {
    expect([0, 0.00001, 0.0041, 0.0184, 0.99999, 1.2, 134.4, 1_234].map(usd)).toEqual([
      '$0',
      '<$0.0001',
      '$0.0041',
      '$0.0184',
      '$1.00',
      '$1.20',
      '$134',
      '$1,234',
    ]);
    expect([950, 12_400, 3_100_000, 999_960].map(count)).toEqual(['950', '12k', '3.1M', '1M']);
    expect([80, 1_240, 59_970, 185_000, 7_800_000].map(duration)).toEqual([
      '80 ms',
      '1.2 s',
      '1 min',
      '3 min 5 s',
      '2 h 10 min',
    ]);
    expect([0, 40, 300, 10_800, 172_800].map((seconds) => age(0, seconds * 1_000))).toEqual([
      'now',
      '40s',
      '5m',
      '3h',
      '2d',
    ]);
    expect([340, 12_300, 5_200_000].map(bytes)).toEqual(['340 B', '12 KB', '5.2 MB']);
    expect(modelName('claude-sonnet-4-5-20250929')).toBe('sonnet-4-5');
    expect([plural(1, 'turn'), plural(2_000, 'turn')]).toEqual(['1 turn', '2,000 turns']);
  });

  it('omit unknown costs, and include the date of other days', () => {
    const costs = [null, { usd: 0, estimated: 0 }, { usd: 0.5, estimated: 0 }, { usd: 0.5, estimated: 0.1 }];
    expect(costs.map(spent)).toEqual(['', '', '$0.5000', '≈$0.5000']);
    expect([0.04, 0.5, 12, 1_500].map(roughUsd)).toEqual(['$0.04', '$0.5', '$12', '$1.5k']);
    const noon = new Date(2026, 10, 16, 12, 0, 5).getTime();
    expect(dateTime(noon, noon + 3_600_000)).toBe('12:00:05');
    expect(dateTime(noon, noon + 86_400_000)).toBe('16 Nov 2026, 12:00:05');
  });
});

describe('who may answer', () => {
  const hour = 3_600_000;
  const now = 100 * hour;
  const open = { hash: '', groups: null, expiresAt: null, onExpiry: null, parkedAt: null };

  it('[F-35] states how long a request is parked, and what happens when', () => {
    expect(termsText(open, now)).toBe('anyone may answer');
    const parked = { ...open, groups: ['release', 'leads'], parkedAt: now - 3 * hour };
    expect(termsText(parked, now)).toBe('parked for 3h, holds nothing; release, leads may answer');
    const ends = { ...parked, parkedAt: now, expiresAt: now + 49 * hour, onExpiry: 'escalate' as const };
    expect(termsText(ends, now)).toBe('parked now, holds nothing; release, leads may answer; escalated in 2d');
    expect(termsText({ ...open, expiresAt: now - 1, onExpiry: 'deny' }, now)).toBe('anyone may answer; denied now');
  });
});
