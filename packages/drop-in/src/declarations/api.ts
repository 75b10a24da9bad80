import type * as wire from 'coxswain/types';
import type { Mutable } from './mutable.ts';

// The types of the API are those of `@anthropic-ai/sdk`, so that they fit its functions. It is an optional peer: without it the
// compiler gives `any` for an import, and the types of coxswain are used instead.
export type Installed<Peer, Otherwise> = symbol extends keyof Peer ? Otherwise : Peer;

/** @ts-expect-error: not installed */
type PeerMessage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaMessage;
/** @ts-expect-error: not installed */
type PeerUsage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaUsage;
/** @ts-expect-error: not installed */
type PeerStreamEvent = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaRawMessageStreamEvent;
/** @ts-expect-error: not installed */
type PeerMessageParam = import('@anthropic-ai/sdk/resources').MessageParam;

export type ApiMessage = Installed<PeerMessage, Mutable<wire.ApiMessage>>;
export type ApiUsage = Installed<PeerUsage, Required<Mutable<wire.Usage>>>;
export type ApiStreamEvent = Installed<PeerStreamEvent, Mutable<wire.StreamEvent>>;
export type ApiMessageParam = Installed<PeerMessageParam, OwnMessageParam>;

type OwnMessageParam = {
  role: 'user' | 'assistant';
  content: string | Mutable<wire.UserContentBlock | wire.ApiMessage['content'][number]>[];
};
