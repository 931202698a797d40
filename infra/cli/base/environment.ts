/** What a run of the command gets from its process; tests pass their own. */
export interface Environment {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}
