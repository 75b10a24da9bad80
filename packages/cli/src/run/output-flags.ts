/** The flags that configure the output. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly thinking?: boolean;
  /** False with `--no-color`. */
  readonly color?: boolean;
  /** False with `--no-input`. */
  readonly input?: boolean;
}
