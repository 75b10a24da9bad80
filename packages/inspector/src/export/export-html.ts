import type { Diff, Entry } from '../api.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { spent } from '../page/text/format.ts';
import { visible } from '../page/text/visible.ts';
import { wholeEntries } from './export.ts';

/** A conversation as one HTML file without scripts, for reading, sharing and printing. */
export async function* exportHtml(record: ConversationRecord): AsyncGenerator<string> {
  const { title, model, cost, startedAt, sessionId } = record.summary();
  const started = startedAt === null ? null : new Date(startedAt).toISOString();
  const facts = [sessionId, model, started, spent(cost)].filter(Boolean);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title || 'Conversation')}</title>
<style>${STYLE}</style>
</head>
<body>
<h1 dir="auto">${escaped(title || 'Conversation')}</h1>
<p class="quiet">${escaped(facts.join(' · '))}</p>
`;
  for await (const entry of wholeEntries(record)) yield sectionOf(entry);
  yield '</body>\n</html>\n';
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 760px; margin: 32px auto; padding: 0 16px; font: 15px/1.5 system-ui, sans-serif; }
section { margin: 12px 0; overflow-wrap: anywhere; }
pre { margin: 4px 0; padding: 8px 12px; border: 1px solid #8886; border-radius: 6px; white-space: pre-wrap; font-size: 13px; }
.text { white-space: pre-wrap; }
.prompt { padding-inline-start: 12px; border-inline-start: 3px solid; }
.quiet, summary { opacity: 0.75; font-size: 13px; }
.depth { margin-inline-start: 24px; }
.error { font-weight: 600; }
ins { background: #2ea04333; text-decoration: none; }
del { background: #f8514933; text-decoration: none; }
@media print { details:not([open]) > summary::after { content: ''; } section { break-inside: avoid; } }
`;

function sectionOf(entry: Entry): string {
  const content = contentOf(entry);
  if (content === '') return '';
  const classes = [entry.kind, ...(entry.depth > 0 ? ['depth'] : [])].join(' ');
  return `<section class="${classes}">${content}</section>\n`;
}

function contentOf(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
    case 'text':
      return text(entry.text.text);
    case 'thinking':
      return entry.text.text === '' ? '' : folded('Thinking', text(entry.text.text));
    case 'tool': {
      const head = `${entry.name} ${entry.argument} (${entry.state})`;
      const asked = entry.asked === null ? '' : `<p class="quiet">The model asked for:</p>${code(entry.asked.text)}`;
      const change = entry.diff === null ? code(entry.input.text) : diff(entry.diff);
      return folded(head, change + asked + (entry.result === null ? '' : code(entry.result.text)));
    }
    case 'system':
      return entry.text === entry.subtype ? '' : quiet(entry.text);
    case 'warning':
    case 'error':
      return text(`${entry.code}: ${entry.message}`);
    case 'result':
      return quiet(`${entry.ok ? 'Done' : entry.outcome} ${entry.message}`);
    case 'audit':
      return quiet(`${entry.audit.by}: ${entry.audit.action} ${entry.audit.note}`);
  }
}

function text(content: string): string {
  return `<div class="text" dir="auto">${escaped(content)}</div>`;
}

function quiet(content: string): string {
  return `<p class="quiet" dir="auto">${escaped(content)}</p>`;
}

function code(content: string): string {
  return `<pre dir="ltr">${escaped(content)}</pre>`;
}

/** Unfolded, so that it is printed. */
function folded(head: string, content: string): string {
  return `<details open><summary dir="auto">${escaped(head)}</summary>${content}</details>`;
}

function diff({ path, hunks }: Diff): string {
  const lines = hunks
    .flatMap((hunk) => hunk.lines)
    .map((line) => {
      const tag = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span';
      return `<${tag}>${escaped(line)}</${tag}>`;
    });
  return `<pre dir="ltr">${[escaped(path), ...lines].join('\n')}</pre>`;
}

/** Text that is never markup, with hidden characters made visible. */
function escaped(content: string): string {
  return visible(content)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
