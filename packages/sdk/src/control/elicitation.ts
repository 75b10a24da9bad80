/** A question of an MCP server to the user. */
export interface ElicitationRequest {
  readonly id: string;
  readonly mcpServer: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** The user's answer. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };
