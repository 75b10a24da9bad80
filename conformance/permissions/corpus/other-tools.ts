import { type Call, type Case, fetchPage } from '../case.ts';

const PAGES: readonly Call[] = fetchPage(
  'https://docs.invalid/x',
  'http://docs.invalid/x',
  'https://a.docs.invalid/',
  'https://other.invalid/',
  'https://docs.invalid:8443/x',
  'https://DOCS.invalid/x',
  'https://xdocs.invalid/',
  'https://docs.invalid.evil.invalid/',
  'http://127.0.0.1:9/x',
);

const PAGE_RULES = [
  'WebFetch(domain:docs.invalid)',
  'WebFetch(domain:*.docs.invalid)',
  'WebFetch',
  'WebFetch(domain:*)',
  'WebFetch(*)',
];

/** Cases with one rule that allows or denies pages. */
export const pages: readonly Case[] = PAGE_RULES.flatMap((rule) => [
  { name: `allowed: ${rule}`, options: { allowedTools: [rule] }, calls: PAGES },
  { name: `denied: ${rule}`, options: { disallowedTools: [rule] }, calls: PAGES },
]);

const TOOLS: readonly Call[] = ['mcp__calc__add', 'mcp__calc__sub', 'mcp__other__add'].map((tool) => ({
  tool,
  input: {},
}));

const SERVER_RULES = ['mcp__calc', 'mcp__calc__*', 'mcp__calc__add', 'mcp__other'];

/** Cases with one rule that allows or denies tools of MCP servers. */
export const serverTools: readonly Case[] = [
  { name: 'tools of servers', options: {}, calls: TOOLS },
  ...SERVER_RULES.flatMap((rule) => [
    { name: `allowed: ${rule}`, options: { allowedTools: [rule] }, calls: TOOLS },
    { name: `denied: ${rule}`, options: { disallowedTools: [rule] }, calls: TOOLS },
  ]),
];
