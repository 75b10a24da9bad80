// npm run do -- fonts: writes the fonts of the inspector's page, small parts of Inter (text) and JetBrains Mono (code), with the
// style sheet that loads them and their licences. The results are committed, so that a build needs no fonts.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../fetch/tool.mjs';

/** @typedef {readonly (readonly [first: number, last: number])[]} Ranges */
/** @typedef {{ family: string, file: string, source: string, weight: string, axes?: Record<string, unknown> }} Family */

const SOURCES = fileURLToPath(new URL('../../tools/fonts', import.meta.url));
const PAGE = fileURLToPath(new URL('../../packages/inspector/src/page', import.meta.url));

/** What nearly every view needs: Latin, punctuation, and the signs of the page. */
const COMMON = ranges(
  '20-7E A0-FF 131 152-153 160-161 178 17D-17E 2C6 2DC 2010-2027 2030 2039-203A 2044 20AC 2122 2190-2193 21B5 21E7 2212 2248 2260 2264-2265 221E 2318 2325 22EF 2610-2611 2713-2714 2717-2718 25B2 25B6 25BC 25C0 25CB 25CF 27E6-27E7',
);
/** Other letters, and the lines and shapes of terminals. A browser loads these parts only for a page that contains such a character. */
const LETTERS = ranges('100-130 132-151 154-15F 162-177 179-17C 17F 218-21B 370-3FF 400-45F 490-491 1E00-1EFF');
const DRAWINGS = ranges(
  '2194-21B4 21B6-21E6 21E8-21FF 2200-2211 2213-2247 2249-225F 2261-2263 2266-22EE 22F0-22FF 2500-25B1 25B3-25B5 25B7-25BB 25BD-25BF 25C1-25CA 25CC-25CE 25D0-25FF 2800-28FF E0A0-E0D4',
);

/** @type {readonly Family[]} */
const FAMILIES = [
  {
    family: 'Inter',
    file: 'inter',
    source: 'inter-ui/variable/InterVariable.woff2',
    weight: '400 700',
    axes: { wght: { min: 400, max: 700 }, opsz: 14 },
  },
  {
    family: 'JetBrains Mono',
    file: 'jetbrains-mono',
    source: '@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf',
    weight: '400',
  },
];

/** Ligatures are left out: `!=` must not look like `≠` in a command that a person approves. */
const FEATURES = ['kern', 'tnum', 'mark', 'mkmk', 'ccmp', 'locl'];

ensureInstalled(SOURCES, 'the fonts of tools/fonts');
/** @type {(font: Buffer, text: string, options: object) => Promise<Buffer>} */
const subset = createRequire(join(SOURCES, 'package.json'))('subset-font');
mkdirSync(join(PAGE, 'fonts'), { recursive: true });
mkdirSync(join(PAGE, 'public/fonts'), { recursive: true });

const rules = [];
for (const family of FAMILIES) {
  rules.push(await part(family, '', COMMON));
  rules.push(await part(family, '-more', family.file === 'inter' ? LETTERS : [...LETTERS, ...DRAWINGS]));
}
const head =
  '/* Written by scripts/docs/page-fonts.mjs. Text is shown at once, in a font of the system until these have arrived. */';
writeFileSync(join(PAGE, 'styles/fonts.css'), `${[head, ...rules].join('\n')}`);
copyFileSync(join(SOURCES, 'node_modules/inter-ui/LICENSE.txt'), join(PAGE, 'public/fonts/Inter-OFL.txt'));
copyFileSync(
  join(SOURCES, 'node_modules/@expo-google-fonts/jetbrains-mono/LICENSE_FONT'),
  join(PAGE, 'public/fonts/JetBrainsMono-OFL.txt'),
);

/**
 * Writes a part of a font and returns its rule.
 * @param {Family} family
 * @param {string} suffix
 * @param {Ranges} included
 */
async function part({ family, file, source, weight, axes }, suffix, included) {
  const text = included.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
  );
  const font = await subset(readFileSync(join(SOURCES, 'node_modules', source)), text.join(''), {
    targetFormat: 'woff2',
    keepFeatures: FEATURES,
    variationAxes: axes,
  });
  const name = `${file}${suffix}.woff2`;
  writeFileSync(join(PAGE, 'fonts', name), font);
  console.log(`${name}: ${(font.length / 1_000).toFixed(1)} KB`);
  const unicodeRange = included.map(([first, last]) =>
    first === last ? `U+${hex(first)}` : `U+${hex(first)}-${hex(last)}`,
  );
  return `@font-face {
  font-family: "${family}";
  font-weight: ${weight};
  font-display: swap;
  src: url("../fonts/${name}") format("woff2");
  unicode-range: ${unicodeRange.join(', ')};
}
`;
}

/**
 * @param {string} text
 * @returns {Ranges}
 */
function ranges(text) {
  return text.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

/** @param {number} code */
function hex(code) {
  return code.toString(16);
}
