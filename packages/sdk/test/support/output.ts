/** Reads the remaining output as text. */
export async function readAll(output: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Reads up to the next line end without ending the iteration. Drops the rest of the chunk. */
export async function readLine(output: AsyncIterable<Uint8Array>): Promise<string> {
  const iterator = output[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('\n')) {
    const step = await iterator.next();
    if (step.done) throw new Error(`The output ended before its line did: ${JSON.stringify(text)}`);
    text += Buffer.from(step.value).toString();
  }
  return text.slice(0, text.indexOf('\n'));
}
