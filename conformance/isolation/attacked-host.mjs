// A program with one isolated query, whose options are JSON in the first argument. Prints how it ended.
import { query } from 'coxswain';

const { terminalError } = await query('go', JSON.parse(process.argv[2] ?? '{}')).collect();
process.stdout.write(terminalError ? `${terminalError.code}: ${terminalError.message}\n` : 'ended\n');
