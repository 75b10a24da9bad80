type Any = { [field: string]: unknown };
type Write = { written?: { url: string }; owned?: boolean };
type Uploaded = {
  id: string;
  url: string;
  size_bytes: number;
  content_type: string;
  sha256?: string;
  file_name: string;
};
type UploadResult =
  | (Uploaded & { file_path: string; status: 'uploaded' })
  | {
      file_path: string;
      status: 'failed' | 'not_attempted';
      reason: string;
      message: string;
      may_be_stored?: true;
    };

/** The result of `Artifact`: its shape depends on the action. */
export type ArtifactOutput =
  | Published
  | {
      artifacts: {
        title: string;
        url: string;
        favicon?: string;
        updatedAt?: string;
        rel?: 'mine' | 'shared';
        external?: true;
        role?: 'editor' | 'commenter' | 'reader' | 'viewer';
        outsidersMayHaveWritten?: true;
        pinned?: boolean;
      }[];
      truncated?: boolean;
      total?: number;
      total_at_least?: true;
      next_page_token?: string;
      pins_enabled?: boolean;
      scope?: 'shared' | 'all';
      external_listed?: true;
    }
  | {
      read: {
        url: string;
        bytes: number;
        code: number;
        codeText: string;
        result: string;
        durationMs: number;
        title?: string;
      };
      owned?: boolean;
      artifactRead?: { slug: string; ver?: string; seeded?: false };
    }
  | { watch: WatchResult }
  | { unwatch: { url: string; was_watching: boolean } }
  | { watches: Watch[]; filter_url?: string; arms?: Arm[] }
  | (Write & { asset_upload: Uploaded })
  | (Write & { asset_uploads: { url: string; results: [UploadResult, ...UploadResult[]] } })
  | {
      asset_list: {
        url: string;
        assets: {
          id: string;
          url: string;
          content_type: string;
          size_bytes: number;
          sha256?: string;
          created_at: string;
        }[];
        usage: { files: number; bytes: number; max_files: number; max_bytes: number };
        next?: string;
        cowritten?: true;
        outside_writer?: true;
      };
    }
  | {
      asset_read: {
        id: string;
        path: string;
        size_bytes: number;
        content_type: string;
        sha256: string;
        cowritten?: true;
        outside_writer?: true;
        public_read?: true;
        foreign?: true;
      };
    }
  | (Write & { asset_delete: { id: string; deleted: boolean } })
  | { pin: { action: 'pin' | 'unpin'; url: string; pinned: boolean; title?: string } };

type Published = {
  url: string;
  path: string;
  artifact_id?: string;
  title?: string;
  version?: string;
  capabilities?: unknown;
  stored?: {
    contract: string;
    preferredContract?: string;
    capabilities?: Any;
    carried?: boolean;
    read?: string;
  };
  warnings?: string[];
  publishesRemaining?: number;
  publishesResetAt?: number;
  contract?: string;
  updated?: boolean;
  owned?: boolean;
  icon?: string;
  faviconSent?: true;
  iconDropped?: true;
  audience?: string;
  folder_audience?: 'others' | 'unknown';
  seq?: number;
  unchanged?: true;
  liveSubscription?: string;
  pinned?: boolean;
};

type WatchResult = {
  url: string;
  watching: boolean;
  outcome: string;
  reason?: string;
  durable_skip_reason?: string;
  task_id?: string;
  since?: number;
  token_expires_at?: number;
  rail?: string;
  trigger_id?: string;
  durable_since?: string;
  status?: number;
  detail?: string;
  note?: string;
  events?: string[];
};

type Watch =
  | {
      url: string;
      task_id: string;
      since: number;
      explicit: boolean;
      connected: boolean;
      connecting?: boolean;
      token_expires_at: number;
      armed_via?: string;
    }
  | { url: string; rail: 'durable_wake'; trigger_id: string; since: string; events?: string[]; restored?: boolean }
  | {
      url: string;
      rail: 'live_stopped';
      since?: number;
      explicit?: boolean;
      armed_via?: string;
      stop_kind: string;
    };

type Arm = {
  url: string;
  rail?: string;
  state: string;
  reconnect?: boolean;
  failures?: number;
  max_failures?: number;
  next_in_s?: number;
  last_failure?: string;
  reason?: string;
  detail?: string;
  server_message?: string;
  at?: number;
};
