/** Executes the steps of a `ContractAgent` as a process: `node -e … -- <steps> <number of files> <arguments…> <files…>`. */
export const AGENT_PROGRAM: string = `
const { readFileSync } = require('node:fs');
const [, program, files, ...rest] = process.argv;
const fileCount = Number(files);
const args = rest.slice(0, rest.length - fileCount);
const paths = rest.slice(rest.length - fileCount);
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => {});
const write = (stream, data) => new Promise((resolve) => stream.write(data, resolve));
let input = '', ended = false, reading = false, wake = () => {};
const more = () => {
  if (!reading) {
    reading = true;
    process.stdin.setEncoding('utf8').on('data', (text) => { input += text; wake(); });
    process.stdin.on('end', () => { ended = true; wake(); });
    process.stdin.on('error', () => { ended = true; wake(); });
  }
  return new Promise((resolve) => { wake = resolve; });
};
const nextLine = async () => {
  for (;;) {
    const end = input.indexOf('\\n');
    if (end !== -1) {
      const line = input.slice(0, end);
      input = input.slice(end + 1);
      return line;
    }
    if (ended) process.exit(0);
    await more();
  }
};
const tell = {
  arguments: () => args,
  environment: () => process.env,
  folder: () => process.cwd(),
  files: () => paths.map((path) => ({ path, content: readFileSync(path, 'utf8') })),
};
const floodLine = (n) => ('contract: ' + String(n).padStart(8, '0') + ' ').padEnd(1023, 'x') + '\\n';
(async () => {
  for (const step of JSON.parse(program)) {
    if ('print' in step) {
      const bytes = Buffer.from(step.print, 'base64');
      await write(process.stdout, Buffer.concat(Array.from({ length: step.times ?? 1 }, () => bytes)));
    }
    else if ('complain' in step) await write(process.stderr, step.complain);
    else if ('flood' in step) {
      for (let n = 0; n < step.flood; n += 64) {
        const lines = Array.from({ length: Math.min(64, step.flood - n) }, (_, i) => floodLine(n + i));
        await write(process.stdout, lines.join(''));
      }
    }
    else if ('expect' in step) while (!(await nextLine()).includes(step.expect));
    else if ('expectEnd' in step) while (!ended) await more();
    else if ('tell' in step) await write(process.stdout, 'contract: ' + JSON.stringify(tell[step.tell]()) + '\\n');
    else if ('ignore' in step) for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
    else if ('hang' in step) await new Promise(() => setInterval(() => {}, 2 ** 30));
    else if ('exit' in step) process.exit(step.exit);
  }
  process.exit(0);
})();
`;
