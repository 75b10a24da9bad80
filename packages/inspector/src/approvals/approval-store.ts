import type { PermissionRequest } from 'coxswain';
import type { Approval, ApprovalTerms } from '../api.ts';
import type { FileBefore } from '../transcript/file-changes.ts';

/** Keeps the permission requests of conversations that wait for a person. `Asking` is the conversation that asks. */
export interface ApprovalStore<Asking> {
  openOf(conversation: string): number;
  listOf(conversation: string): Approval[];
  open(
    record: Asking,
    request: PermissionRequest,
    about: RequestContext & { readonly at: number; readonly entry: number | null },
  ): void;
  /** Changes who may answer a request, and until when. */
  changeTerms(conversation: string, requestId: string, terms: ApprovalTerms): void;
  /** Removes a request that no longer needs an answer. Returns the id of its tool use. */
  settled(
    conversation: string,
    requestId: string,
    end: SettledBy & { readonly decision: string; readonly at: number },
  ): string | undefined;
  dropOf(conversation: string, at: number): void;
}

/** Who answered a request, from where, and who saw it, as far as the source has recorded it. */
export interface SettledBy {
  readonly by?: string | null;
  readonly from?: string | null;
  readonly seenBy?: readonly string[];
}

/** The data of a source about a permission request besides the request. */
export interface RequestContext {
  /** The file that the call would change. */
  readonly before?: FileBefore | undefined;
  /** Who may answer, in a fleet. */
  readonly terms?: ApprovalTerms | undefined;
}
