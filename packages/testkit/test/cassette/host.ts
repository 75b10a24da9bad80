// Records a query and ends in the requested way: host.ts <how> <cli> <cassette>
import { query } from 'coxswain';
import { recording } from '../../src/index.ts';

const [how = '', cli = '', file = ''] = process.argv.slice(2);
const stream = query('x', { transport: recording(file, { cli }) });
for await (const message of stream) {
  if (how === 'crash' && message.type === 'assistant') process.exit(3);
}
// The program ends without waiting for the recording.
