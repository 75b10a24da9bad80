import type { PermissionDecision } from 'coxswain';

/** The author of an action. */
export interface Actor {
  /** The name from the auth hook, or else `local`. */
  readonly by: string;
}

/** The actions that a source offers for a conversation. Missing ones are hidden. All of them may reject. */
export interface Controls {
  readonly send?: (text: string, actor: Actor) => Promise<void>;
  readonly steer?: (text: string, actor: Actor) => Promise<void>;
  readonly interrupt?: (actor: Actor) => Promise<void>;
  /** Removes a waiting turn, or interrupts a running one. Without `turn`: the newest waiting one. */
  readonly cancel?: (turn: string | undefined, actor: Actor) => Promise<void>;
  /** Resolves with the id of the copy. `before`: the number of the prompt before which the copy ends. */
  readonly fork?: (text: string | undefined, actor: Actor, before?: number) => Promise<string>;
  /** Resolves with the id of the live conversation. */
  readonly resume?: (text: string | undefined, actor: Actor) => Promise<string>;
  readonly rename?: (title: string, actor: Actor) => Promise<void>;
  readonly close?: (actor: Actor) => Promise<void>;
  /** A person has opened the conversation, and sees its permission requests. Never rejects. */
  readonly seen?: (actor: Actor) => Promise<void>;
  /** Answers a permission request by its own id. */
  readonly answer?: (requestId: string, decision: PermissionDecision, actor: Actor) => Promise<void>;
}
