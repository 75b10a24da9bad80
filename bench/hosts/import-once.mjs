// node bench/hosts/import-once.mjs <address>: how long the import of one module takes in a fresh process.
const [address] = process.argv.slice(2);
const began = performance.now();
await import(address);
const importMs = performance.now() - began;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ importMs, cpuMs: (user + system) / 1_000 }));
// Only the import is measured, not what it leaves running.
process.exit();
