/** The services of browsers that deliver messages. The server sends to no other host: the address comes from a browser. */
const SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  'web.push.apple.com',
  '*.notify.windows.com',
];

/** Whether an address belongs to a known service, or to one that the options name. */
export function isPushService(endpoint: string, services: readonly string[] = []): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, host } = new URL(endpoint);
  const isHost = (name: string): boolean => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name);
  return protocol === 'https:' && [...SERVICES, ...services].some(isHost);
}
