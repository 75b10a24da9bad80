import type { UserContent } from '../wire/content.ts';
import { isObject } from './checks.ts';
import { plainData } from './plain-data.ts';
import { at, kindOf, type Report, reasonOf } from './report.ts';

/** Checks a prompt and returns the copy that is sent. */
export function checkPrompt(prompt: unknown, report: Report): UserContent | undefined {
  try {
    if (typeof prompt === 'string') return checkText(prompt, report);
    if (Array.isArray(prompt)) return checkBlocks(prompt, report);
    const meant = isObject(prompt) && 'prompt' in prompt ? ' The call is query(prompt, options).' : '';
    report('prompt', `must be a string or an array of content blocks, not ${kindOf(prompt)}.${meant}`);
  } catch (error) {
    report('prompt', `could not be read: ${reasonOf(error)}`);
  }
  return undefined;
}

function checkText(prompt: string, report: Report): string {
  // One CLI refuses white space alone, another ends without a word.
  if (prompt.trim() === '') report('prompt', 'must not be empty.');
  return prompt;
}

function checkBlocks(prompt: readonly unknown[], report: Report): UserContent | undefined {
  const copy: unknown = plainData(prompt, 'prompt', report);
  if (!isBlocks(copy, report)) return undefined;
  if (copy.every((block) => block.type === 'text' && block.text.trim() === '')) report('prompt', 'must not be empty.');
  return copy;
}

function isBlocks(copy: unknown, report: Report): copy is Exclude<UserContent, string> {
  if (!Array.isArray(copy)) return false;
  let good = true;
  for (const [index, block] of copy.entries()) {
    if (!isObject(block) || typeof block.type !== 'string') {
      report(at('prompt', index), 'must be a content block: an object with a string type.');
      good = false;
    } else if (block.type === 'text' && typeof block.text !== 'string') {
      report(at(at('prompt', index), 'text'), `must be a string, not ${kindOf(block.text)}.`);
      good = false;
    }
  }
  return good;
}
