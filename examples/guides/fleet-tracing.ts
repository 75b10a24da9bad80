// #region fleet
import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { fleetTelemetry, telemetry } from '@coxswain/opentelemetry';

const fleet = await openFleet({ tracing: fleetTelemetry() }); // each submit() is a fleet.submit, below the active span

const observer = telemetry();
const agent = defineAgent({ options: () => ({ observers: [observer] }) }); // the agent's spans, below fleet.turn
const worker = await startWorker({ database: fleet.embeddedUrl, agent, tracing: fleetTelemetry() });
// #endregion

console.log('traced');
await worker.drain();
await fleet.close();
