type Any = { [field: string]: unknown };
type Wait = 'never' | '60s' | '5m' | '10m';

/** The settings of the terminal: what it shows, and how it takes input. */
export interface TerminalSettings {
  theme?: string;
  tui?: 'default' | 'fullscreen';
  viewMode?: 'default' | 'verbose' | 'focus';
  defaultView?: 'chat' | 'transcript';
  verbose?: boolean;
  language?: string;
  timeFormat?: string;
  timeZone?: string;
  editorMode?: 'normal' | 'vim';
  keybindingFlavor?: 'classic' | 'readline';
  vimInsertModeRemaps?: Any;
  statusLine?: {
    type: 'command';
    command: string;
    padding?: number;
    refreshInterval?: number;
    hideVimModeIndicator?: boolean;
  };
  subagentStatusLine?: { type: 'command'; command: string };
  fileSuggestion?: { type: 'command'; command: string };
  footerLinksRegexes?: (
    | (Any & { type: 'regex'; pattern: string; url: string; label?: string })
    | (Any & { type: string })
  )[];
  prUrlTemplate?: string;
  companyAnnouncements?: string[];
  feedbackSurveyRate?: number;
  feedbackDrafts?: 'off' | 'notify' | 'quiet';
  spinnerTipsEnabled?: boolean;
  spinnerVerbs?: { mode: 'append' | 'replace'; verbs: string[] };
  spinnerTipsOverride?: Any & {
    excludeDefault?: boolean;
    tips?: (string | Any)[];
    tipsFile?: string;
    label?: string;
  };
  spellcheck?: Any & { enabled?: boolean; checker?: string; language?: string; color?: string };
  voice?: { enabled?: boolean; mode?: 'hold' | 'tap'; autoSubmit?: boolean };
  voiceEnabled?: boolean;
  askUserQuestionTimeout?: Wait;
  dialogExpiry?: Wait;
  preferredNotifChannel?:
    | 'auto'
    | 'iterm2'
    | 'terminal_bell'
    | 'iterm2_with_bell'
    | 'kitty'
    | 'ghostty'
    | 'notifications_disabled';
  inputNeededNotifEnabled?: boolean;
  agentPushNotifEnabled?: boolean;
  syntaxHighlightingDisabled?: boolean;
  maxProseWidth?: number;
  terminalTitleFromRename?: boolean;
  terminalProgressBarEnabled?: boolean;
  prefersReducedMotion?: boolean;
  promptSuggestionEnabled?: boolean;
  emojiCompletionEnabled?: boolean;
  showClearContextOnPlanAccept?: boolean;
  showThinkingSummaries?: boolean;
  showTurnDuration?: boolean;
  showMessageTimestamps?: boolean;
  autoScrollEnabled?: boolean;
  wheelScrollAccelerationEnabled?: boolean;
  todoFeatureEnabled?: boolean;
  bashEditDiffEnabled?: boolean;
  respondToBashCommands?: boolean;
  respectGitignore?: boolean;
  workflowKeywordTriggerEnabled?: boolean;
}
