import type { MarkedToken, Token, Tokens } from 'marked';
import { type ComponentChild, type ComponentChildren, Fragment } from 'preact';
import { CopyButton } from '../layout/copy-button.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';

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
      return <CodeBlock key={key} text={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote key={key}>{token.tokens.map((child, at) => block(child as MarkedToken, at))}</blockquote>;
    case 'list':
      return list(token, key);
    case 'table':
      return table(token, key);
    case 'hr':
      return <hr key={key} />;
    case 'space':
    case 'def':
      return null;
    default:
      return (
        <p key={key} dir="auto" class="raw">
          {token.raw}
        </p>
      );
  }
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
      return link(token.href, inline(token.tokens), key);
    case 'image':
      return link(token.href, `🖼 ${token.text || token.href}`, key);
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens ? inline(token.tokens) : entities(token.text);
    default:
      return token.raw;
  }
}

/** A link to the web; any other target stays text. */
function link(href: string, content: ComponentChildren, key: number): ComponentChild {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span key={key}>{content}</span>;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {content}
    </a>
  );
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
