// Starts the embedded PostgreSQL and waits to be killed.
import process from 'node:process';
import { startEmbedded } from '@coxswain/fleet';

const [, , directory, binaries] = process.argv;
const server = await startEmbedded({ directory, binaries });
process.stdout.write(`${server.url}\n`);
setInterval(() => {}, 1 << 30);
