/** Markdown without its most common marks, as shown on the page. The length is bounded to limit the time. */
export function withoutMarkdown(text: string): string {
  return text
    .replace(/^ {0,3}(#{1,6} +|```.*$)/gm, '')
    .replace(/\*\*([^*\n]{1,500})\*\*/g, '$1')
    .replace(/`([^`\n]{1,500})`/g, '$1')
    .replace(/\[([^[\]\n]{1,200})\]\([^()\s]{1,1000}\)/g, '$1');
}
