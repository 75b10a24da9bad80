// A flood of text deltas, raw and assembled.
import { assemblePartials, textDeltaOf } from 'coxswain';
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired, timed } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';
import { stubCli } from '../stub.mjs';

export async function run() {
  const count = scaled(100_000);
  const job = { cli: stubCli(), env: { STUB_DELTAS: String(count), STUB_ANSWER: '500' }, partial: true };
  const flood = (oneShot) => () => timed((each) => oneShot(job, each), count, isDelta);
  const contenders = {
    bare: flood(bare.oneShot),
    control: flood(bare.oneShot),
    query: flood(coxswain.oneShot),
    session: flood(coxswain.session),
    deltas: () => timed((each) => drain(coxswain.stream(job), (message) => each(textDeltaOf(message))), count, isText),
    // The start of a message and of a block, the pieces, the whole block, and the end of each answer.
    assembled: () =>
      timed((each) => drain(assemblePartials(coxswain.stream(job)), each), assembledCount(count), isAnswer),
    ...(official && { official: flood(official.oneShot) }),
  };
  return [await paired('partials', `${shown(count)} text deltas, answers of 500`, contenders)];
}

async function drain(stream, each) {
  for await (const piece of stream) each(piece);
}

function isDelta(message) {
  return message.type === 'stream_event' && message.event.type === 'content_block_delta';
}

function isText(piece) {
  return piece !== '';
}

function isAnswer(message) {
  return message.type === 'assistant';
}

function assembledCount(deltas) {
  return deltas + 4 * Math.ceil(deltas / 500);
}
