/** What a browser needs to subscribe to notifications. */
export interface PushInfo {
  /** The public key of the server, base64url. */
  readonly publicKey: string;
}

/** The body of `POST api/push`: the subscription of a browser, as `PushSubscription.toJSON()` returns it. */
export interface PushSubscriber {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}
