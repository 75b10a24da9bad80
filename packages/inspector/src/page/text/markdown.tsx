import type { MarkedToken, Token, Tokens } from 'marked';
import { type ComponentChild, type ComponentChildren, Fragment } from 'preact';
import { useContext } from 'preact/hooks';
import { CopyButton } from '../layout/copy-button.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { HiddenInCard } from '../needs/hidden-parts.ts';

/** Shows the blocks of a Markdown text. */
export function Markdown({ blocks }: { readonly blocks: readonly Token[] }): ComponentChild {
  let level = 2;
  return (
    <div class="markdown">
      {blocks.map((token, index) => {
        if (token.type !== 'heading') return block(token as MarkedToken, index);
        // The page's own headings are above these levels, and no level is skipped.
        level = Math.min(6, level + 1, (token as Tokens.Heading).depth + 2);
        return heading(token as Tokens.Heading, `h${Math.max(3, level)}` as 'h3', index);
      })}
    </div>
  );
}

function heading(token: Tokens.Heading, Tag: 'h3' | 'p', key: number): ComponentChild {
  return (
    <Tag key={key} class="heading" dir="auto">
      {inline(token.tokens)}
    </Tag>
  );
}

function block(token: MarkedToken, key: number): ComponentChild {
  switch (token.type) {
    case 'heading':
      return heading(token, 'p', key);
    case 'paragraph':
      return (
        <p key={key} dir="auto">
          {inline(token.tokens)}
        </p>
      );
    case 'text':
      return <Fragment key={key}>{token.tokens ? inline(token.tokens) : token.text}</Fragment>;
    case 'code':
      return code(token, key);
    case 'blockquote':
      return <blockquote key={key}>{token.tokens.map((child, at) => block(child as MarkedToken, at))}</blockquote>;
    case 'list':
      return list(token, key);
    case 'table':
      // A row may have more cells than the head, which a table does not show.
      return hasMoreCells(token) ? raw(token, key) : table(token, key);
    case 'hr':
      return <hr key={key} />;
    case 'space':
      return null;
    default:
      return raw(token, key);
  }
}

function raw(token: Token, key: number): ComponentChild {
  return (
    <p key={key} dir="auto" class="raw">
      {token.raw.trimEnd()}
    </p>
  );
}

/** A fence may be followed by more than the name of a language. */
function code({ text, lang = '' }: Tokens.Code, key: number): ComponentChild {
  return (
    <Fragment key={key}>
      {LANGUAGE.test(lang) ? null : <p class="raw quiet small">{lang}</p>}
      <CodeBlock text={text} language={lang} />
    </Fragment>
  );
}

const LANGUAGE = /^[\w+#.-]{0,20}$/;

function hasMoreCells({ raw, header }: Tokens.Table): boolean {
  const rows = raw.trim().split('\n').slice(2);
  return rows.some(
    (row) =>
      row
        .trim()
        .replace(/^\||(?<!\\)\|$/g, '')
        .split(/(?<!\\)\|/).length > header.length,
  );
}

function list(token: Tokens.List, key: number): ComponentChild {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task ? <span>{item.checked ? '☑ ' : '☐ '}</span> : null}
      {item.tokens
        .filter((child) => child.type !== 'checkbox')
        .map((child, index) => block(child as MarkedToken, index))}
    </li>
  ));
  return token.ordered ? (
    <ol key={key} dir="auto" start={token.start === '' ? 1 : token.start}>
      {items}
    </ol>
  ) : (
    <ul key={key} dir="auto">
      {items}
    </ul>
  );
}

function table(token: Tokens.Table, key: number): ComponentChild {
  return (
    <ScrollRegion key={key} name="table" label="Table">
      <table>
        <thead>
          <tr>{cells(token.header, 'th')}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function cells(row: readonly Tokens.TableCell[], Tag: 'td' | 'th'): ComponentChildren {
  return row.map((cell, at) => (
    <Tag key={at} dir="auto">
      {inline(cell.tokens)}
    </Tag>
  ));
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, key) => span(token as MarkedToken, key));
}

function span(token: MarkedToken, key: number): ComponentChild {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case 'em':
      return <em key={key}>{inline(token.tokens)}</em>;
    case 'del':
      return <del key={key}>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code key={key}>{token.text}</code>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return <Link key={key} link={token} content={inline(token.tokens)} />;
    case 'image':
      return <Link key={key} link={token} content={`🖼 ${token.text || token.href}`} />;
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens ? inline(token.tokens) : entities(token.text);
    default:
      return token.raw;
  }
}

/** A link to the web; any other target stays text. Where a person decides, its target and its title are shown, too. */
function Link({
  link: { href, title = '', text },
  content,
}: {
  readonly link: Tokens.Link | Tokens.Image;
  readonly content: ComponentChildren;
}): ComponentChild {
  const isDecided = useContext(HiddenInCard) !== null;
  const about = [text === href ? '' : href, title ?? ''].filter(Boolean).join(' ');
  const more = isDecided && about !== '' ? ` (${about})` : null;
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return [content, more];
  return [
    <a key="a" href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {content}
    </a>,
    more,
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: '\u00a0',
};

function entities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Code with its language and a copy button. */
function CodeBlock({ text, language = '' }: { readonly text: string; readonly language?: string }): ComponentChild {
  return (
    <figure class="code">
      <CopyButton text={text} label="Copy the code" />
      <ScrollRegion name="code-lines" dir="ltr" label={language === '' ? 'Code' : `Code, ${language}`}>
        <pre>
          <code>{text}</code>
        </pre>
      </ScrollRegion>
    </figure>
  );
}
