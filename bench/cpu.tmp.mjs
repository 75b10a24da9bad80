import { startSession, query } from 'coxswain';
import { bareOneShot } from './bare.mjs';
import { stubCli } from './stub.mjs';
const stub = stubCli(); const env = { STUB_MESSAGES: '100000', STUB_BYTES: '900' };
const count = async (ms) => { let n=0; for await (const m of ms) if (m.type==='assistant') n++; return n; };
const C = { bare: () => bareOneShot(stub, env), bare2: () => bareOneShot(stub, env), query: () => count(query('go', { cli: stub, env, skipVersionCheck: true })), session: async () => { const s = await startSession({ cli: stub, env, skipVersionCheck: true }); const n = await count(s.send('go')); await s.stop(); return n; } };
const T = {}; const R=Number(process.env.ROUNDS??9);
for (let r=-2;r<R;r++) for (const k in C) { const a=process.cpuUsage(); await C[k](); const d=process.cpuUsage(a); if(r>=0)(T[k]??=[]).push((d.user+d.system)/1000); }
const med=a=>a.slice().sort((x,y)=>x-y)[a.length>>1];
for (const k in T) console.log(k.padEnd(10), med(T[k]).toFixed(0)+'ms cpu', med(T[k].map((x,i)=>x/T.bare[i])).toFixed(3));
