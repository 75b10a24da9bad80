import type { PushInfo } from '../../api.ts';
import { getJson, post } from '../connection/http.ts';
import { serverInfo } from '../connection/server-info.ts';
import { worker } from './notifications.ts';

/** Receives notifications also while the page is closed, if the server sends them. */
export async function startPush(): Promise<void> {
  if (serverInfo.peek()?.has.push !== true || !('PushManager' in window)) return;
  const { publicKey } = await getJson<PushInfo>('api/push');
  const registration = await worker();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
  await post('api/push', { endpoint, keys });
}

/** Stops receiving them. */
export async function stopPush(): Promise<void> {
  if (serverInfo.peek()?.has.push !== true || !('PushManager' in window)) return;
  const registration = await navigator.serviceWorker.getRegistration('./');
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return;
  await post('api/push/remove', { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}
