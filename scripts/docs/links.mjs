// The links and headings of a markdown page, as GitHub reads them.

const CODE = /^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$|(`+)(?!`)[^\n]*?[^`\n]\3(?!`)/gm;
const COMMENT = /<!--[\s\S]*?-->/g;
const LINK =
  /(?<=\]\()[^()\s]+(?=(?: "[^"]*")?\))|(?<=\b(?:href|src)=")[^"]+(?=")|(?<=^\[[^\]]+\]: )\S+$|(?<=^ *(?:- )?link: )\S+$/gm;

/**
 * The targets of a page's links and pictures: in markdown, in HTML, and in a front matter.
 * @param {string} markdown
 * @returns {string[]}
 */
export function linksIn(markdown) {
  return [...withoutCode(markdown).matchAll(LINK)].map(([target]) => target);
}

/**
 * The page with its links replaced by `change`; code is not changed.
 * @param {string} markdown
 * @param {(target: string) => string} change
 */
export function withLinks(markdown, change) {
  let page = '';
  let end = 0;
  for (const { 0: target, index } of withoutCode(markdown).matchAll(LINK)) {
    page += markdown.slice(end, index) + change(target);
    end = index + target.length;
  }
  return page + markdown.slice(end);
}

/**
 * The anchors of a page's headings; a repeated one gets a number.
 * @param {string} markdown
 */
export function anchorsIn(markdown) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  // A heading may contain code, so only code blocks are removed.
  const text = markdown.replace(COMMENT, blank).replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, blank);
  return [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, title = '']) => {
    const anchor = anchorOf(title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

/**
 * The anchor of a heading.
 * @param {string} title
 */
export function anchorOf(title) {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Whether a link points outside of the repository.
 * @param {string} target
 */
export function isExternal(target) {
  return /^[a-z][a-z+.-]*:/i.test(target);
}

/** @param {string} markdown */
function withoutCode(markdown) {
  return markdown.replace(COMMENT, blank).replace(CODE, blank);
}

/** @param {string} text */
function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}
