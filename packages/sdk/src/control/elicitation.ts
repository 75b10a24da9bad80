/** What an MCP server wants to know of the user. */
export interface ElicitationRequest {
  readonly id: string;
  readonly mcpServer: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** What the user says to it. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };
