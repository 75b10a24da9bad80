import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PushSubscriber } from '../api.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';

/** The key pair of the server. Browsers accept messages only from the pair they have subscribed with. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** What survives a restart of the server. */
export interface PushState {
  readonly keys: PushKeys;
  readonly subscribers: readonly PushSubscriber[];
}

/** Reads the state; undefined if the file does not exist. @throws if it is unreadable or has another format */
export async function readPushFile(path: string): Promise<PushState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (fieldsOf(error).code === 'ENOENT') return undefined;
    throw error;
  }
  const state = fieldsOf(JSON.parse(text));
  const keys = fieldsOf(state.keys);
  const [publicKey, privateKey] = [textIn(keys, 'publicKey'), textIn(keys, 'privateKey')];
  if (publicKey === null || privateKey === null) throw new Error(`${path} has no keys.`);
  return { keys: { publicKey, privateKey }, subscribers: listIn(state, 'subscribers').flatMap(subscriberIn) };
}

/** Replaces the file at once. Only this user can read it. */
export async function writePushFile(path: string, state: PushState): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(state), { mode: 0o600 });
  await rename(draft, path);
}

/** A subscription in data from outside; none if it is not one. */
export function subscriberIn(value: unknown): PushSubscriber[] {
  const fields = fieldsOf(value);
  const keys = fieldsOf(fields.keys);
  const [endpoint, p256dh, auth] = [textIn(fields, 'endpoint'), textIn(keys, 'p256dh'), textIn(keys, 'auth')];
  if (endpoint === null || p256dh === null || auth === null) return [];
  return endpoint.length > 2_000 || p256dh.length > 200 || auth.length > 100
    ? []
    : [{ endpoint, keys: { p256dh, auth } }];
}
